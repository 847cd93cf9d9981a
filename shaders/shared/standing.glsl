// What slices that stand do to bodies. They do the same in every substep, so that a body has its sum, the standing record, and no slice runs for it.
uint standing_record(uint body) { return load_words * (load_records * body + load_copies); }

// Whole numbers of 64 bits: a low and a high word.
uvec2 times(uvec2 x, uint factor) {
  uint high, low;
  umulExtended(x.x, factor, high, low);
  return uvec2(low, x.y * factor + high);
}
uvec2 negative(uvec2 x) {
  uint low = ~x.x + 1u;
  return uvec2(low, ~x.y + (low == 0u ? 1u : 0u));
}
