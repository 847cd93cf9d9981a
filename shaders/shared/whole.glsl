#ifndef TALUS_WHOLE
#define TALUS_WHOLE
// Whole numbers of 64 bits: a low and a high word.
uvec2 negative(uvec2 x) {
  uint low = ~x.x + 1u;
  return uvec2(low, ~x.y + (low == 0u ? 1u : 0u));
}

uvec2 times(uvec2 x, uint factor) {
  uint high, low;
  umulExtended(x.x, factor, high, low);
  return uvec2(low, x.y * factor + high);
}

// As a float.
float whole(uint low, uint high) {
  if (high < 0x80000000u)
    return float(high) * 4294967296.0 + float(low);
  uvec2 size = negative(uvec2(low, high));
  return -(float(size.y) * 4294967296.0 + float(size.x));
}
#endif
