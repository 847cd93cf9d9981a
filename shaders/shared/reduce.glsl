// First half of a prefix sum: the sum of each chunk of DATA (LENGTH elements) into SUMS. A workgroup per chunk.
shared uint partial[group_size];

void main() {
  uint chunk = group_index(), lane = gl_LocalInvocationID.x;
  if (chunk >= scan_chunks)
    return;
  uint size = (LENGTH + scan_chunks - 1u) / scan_chunks;
  uint begin = min(chunk * size, LENGTH), end = min(begin + size, LENGTH);
  uint sum = 0u;
  for (uint i = begin + lane; i < end; i += group_size)
    sum += DATA[i];
  partial[lane] = sum;
  for (uint half_size = group_size / 2u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (lane < half_size)
      partial[lane] += partial[lane + half_size];
  }
  if (lane == 0u)
    SUMS[chunk] = partial[0];
}
