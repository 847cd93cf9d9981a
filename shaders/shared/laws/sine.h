// Sine and cosine as series, for GLSL, whose built-in ones may be off by 2^-11. C++ has its own.

// x less the multiple of pi that is nearest, and 1, or -1 where that is odd.
LAW float half_turn(float x) { return x - pi * round(x / pi); }
LAW float sign_of_half_turns(float x) {
  float n = round(x / pi);
  return 1.0f - 2.0f * (n - 2.0f * floor(0.5f * n));
}

LAW float sine(float x) {
  float y = half_turn(x), y2 = y * y;
  return sign_of_half_turns(x) * y *
         (1.0f - y2 / 6.0f * (1.0f - y2 / 20.0f * (1.0f - y2 / 42.0f * (1.0f - y2 / 72.0f * (1.0f - y2 / 110.0f)))));
}
LAW float cosine(float x) {
  float y = half_turn(x), y2 = y * y;
  return sign_of_half_turns(x) *
         (1.0f -
          y2 / 2.0f * (1.0f - y2 / 12.0f * (1.0f - y2 / 30.0f * (1.0f - y2 / 56.0f * (1.0f - y2 / 90.0f * (1.0f - y2 / 132.0f))))));
}
