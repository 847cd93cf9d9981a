// log(1 + q) and 1 - exp(-x) without cancellation, for GLSL, whose built-in log and exp may be off by 2^-21 near 1. C++ has log1p and expm1.

LAW float log_1p(float q) {
  if (q >= 1.0f)
    return log(1.0f + q);
  float z = q / (2.0f + q), z2 = z * z;
  return 2.0f * z *
         (1.0f + z2 * (1.0f / 3.0f + z2 * (1.0f / 5.0f + z2 * (1.0f / 7.0f + z2 * (1.0f / 9.0f + z2 * (1.0f / 11.0f + z2 / 13.0f))))));
}
LAW float one_minus_exp(float x) {
  if (x >= 0.25f)
    return 1.0f - exp(-x);
  return x * (1.0f - x / 2.0f * (1.0f - x / 3.0f * (1.0f - x / 4.0f * (1.0f - x / 5.0f * (1.0f - x / 6.0f)))));
}
