// Sine and cosine as series, for GLSL, whose built-in ones may be off by 2^-11. C++ has its own.

// x less the multiple of pi that is nearest. Both change their sign where that is odd: as a quaternion, the same rotation.
LAW float half_turn(float x) { return x - pi * round(x / pi); }

LAW float sine(float x) {
  float y = half_turn(x), y2 = y * y;
  return y * (1.0f - y2 / 6.0f * (1.0f - y2 / 20.0f * (1.0f - y2 / 42.0f * (1.0f - y2 / 72.0f * (1.0f - y2 / 110.0f)))));
}
LAW float cosine(float x) {
  float y = half_turn(x), y2 = y * y;
  return 1.0f -
         y2 / 2.0f * (1.0f - y2 / 12.0f * (1.0f - y2 / 30.0f * (1.0f - y2 / 56.0f * (1.0f - y2 / 90.0f * (1.0f - y2 / 132.0f)))));
}
