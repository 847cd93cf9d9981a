// A whole number of 64 bits in two words, as a float.
float whole(uint low, uint high) {
  if (high < 0x80000000u)
    return float(high) * 4294967296.0 + float(low);
  low = ~low + 1u;
  high = ~high + (low == 0u ? 1u : 0u);
  return -(float(high) * 4294967296.0 + float(low));
}
