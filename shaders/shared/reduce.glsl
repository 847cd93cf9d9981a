// First half of a prefix sum: the sum of each chunk of DATA (LENGTH elements) into SUMS. A workgroup per chunk.
#include "shared/scan.h"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint DATA[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer SumsBlock { uint SUMS[]; };

shared uint partial[group_size];

void main() {
  uint chunk = group_index(), lane = gl_LocalInvocationID.x;
  uint size = scan_size(LENGTH), begin = chunk * size;
  if (begin >= LENGTH)
    return;
  uint end = min(begin + size, LENGTH), sum = 0u;
  for (uint i = begin + lane; i < end; i += group_size)
    sum += DATA[i];
  partial[lane] = sum;
  barrier();
  if (lane == 0u) {
    for (uint other = 1u; other < group_size; ++other)
      sum += partial[other];
    SUMS[chunk] = sum;
  }
}
