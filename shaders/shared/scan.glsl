// Second half of a prefix sum: START[i] = sum of DATA before i, and the total at START[LENGTH]. A workgroup per chunk.
//
// Few barriers rather than few additions: on a device without hardware for them (a CPU) a barrier costs more than all the rest.
#include "shared/scan.h"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint DATA[]; };
layout(set = 0, binding = 1, scalar) readonly buffer SumsBlock { uint SUMS[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer StartBlock { uint START[]; };

const uint segment = 16u;  // lanes that one lane adds up
shared uint partial[group_size];
shared uint segments[group_size / segment];

// Sum of `value` over the lanes before this one. `total`: over all lanes.
uint lanes_before(uint lane, uint value, out uint total) {
  barrier();  // those who read the last round's sums are done
  partial[lane] = value;
  barrier();
  if (lane < group_size / segment) {
    uint sum = 0u;
    for (uint i = lane * segment; i < (lane + 1u) * segment; ++i) {
      uint v = partial[i];
      partial[i] = sum;
      sum += v;
    }
    segments[lane] = sum;
  }
  barrier();
  uint before = partial[lane];
  total = 0u;
  for (uint s = 0u; s < group_size / segment; ++s) {
    before += s < lane / segment ? segments[s] : 0u;
    total += segments[s];
  }
  return before;
}

void main() {
  uint chunk = group_index(), lane = gl_LocalInvocationID.x;
  uint size = scan_size(LENGTH), begin = chunk * size;
  if (begin >= max(LENGTH, 1u))
    return;
  uint end = min(begin + size, LENGTH);

  uint sum = 0u, before = 0u, total;  // before: what lies in the chunks before this one
  for (uint c = lane; c < chunk; c += group_size)
    sum += SUMS[c];
  lanes_before(lane, sum, before);

  for (uint base = begin; base < end; base += scan_round) {
    uint first = base + lane * scan_thread, last = min(first + scan_thread, end);
    sum = 0u;
    for (uint i = first; i < last; ++i)
      sum += DATA[i];
    uint at = before + lanes_before(lane, sum, total);
    for (uint i = first; i < last; ++i) {
      START[i] = at;
      at += DATA[i];
    }
    before += total;
  }
  if (end == LENGTH && lane == 0u)
    START[LENGTH] = before;
}
