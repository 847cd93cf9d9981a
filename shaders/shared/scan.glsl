// Second half of a prefix sum: START[i] = sum of DATA before i, and the total at START[LENGTH]. A workgroup per chunk.
shared uint partial[group_size];

// Sum of `value` over the lanes up to and including this one.
uint scan_group(uint lane, uint value) {
  barrier();  // the last round's readers are done
  partial[lane] = value;
  for (uint step_size = 1u; step_size < group_size; step_size *= 2u) {
    barrier();
    uint other = lane >= step_size ? partial[lane - step_size] : 0u;
    barrier();
    partial[lane] += other;
  }
  barrier();
  return partial[lane];
}

void main() {
  uint chunk = group_index(), lane = gl_LocalInvocationID.x;
  if (chunk >= scan_chunks)
    return;
  uint before = 0u;  // what lies in the chunks before this one
  for (uint c = lane; c < chunk; c += group_size)
    before += SUMS[c];
  scan_group(lane, before);
  before = partial[group_size - 1u];

  uint size = (LENGTH + scan_chunks - 1u) / scan_chunks;
  uint begin = min(chunk * size, LENGTH), end = min(begin + size, LENGTH);
  for (uint base = begin; base < end; base += group_size) {
    uint i = base + lane;
    uint value = i < end ? DATA[i] : 0u;
    uint inclusive = scan_group(lane, value);
    if (i < end)
      START[i] = before + inclusive - value;
    before += partial[group_size - 1u];
  }
  if (chunk == scan_chunks - 1u && lane == 0u)
    START[LENGTH] = before;
}
