// Periodic axes.

// d, or its image across a periodic axis of this length that is shorter.
LAW real shorter(real d, float edge) {
  PRECISE real there = select(d > 0.5f * edge, d - edge, select(d < -0.5f * edge, d + edge, d));
  return there;
}
