// Quaternions xyzw of length 1. The built-in sine and cosine may be off by 2^-11, so they are series here.
#ifndef TALUS_ROTATION
#define TALUS_ROTATION
#include "shared/laws/dialect.h"
#ifndef TALUS_LAW_ROTATION
#define TALUS_LAW_ROTATION
#include "shared/laws/rotation.h"
#endif

// Sine over x, and cosine, for x up to half pi.
float sine_share(float x2) {
  return 1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0 * (1.0 - x2 / 72.0 * (1.0 - x2 / 110.0))));
}
float cosine(float x2) {
  return 1.0 - x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0 * (1.0 - x2 / 56.0 * (1.0 - x2 / 90.0 * (1.0 - x2 / 132.0)))));
}

// The rotation about an axis of length 1, or 0 for none, by an angle in rad.
vec4 turn_about(vec3 axis, float angle) {
  float x = 0.5 * angle;
  x -= pi * round(x / pi);  // the opposite quaternion is the same rotation
  return vec4(x * sine_share(x * x) * axis, cosine(x * x));
}

// By a rotation vector.
vec4 turn_by(vec3 v) {
  float angle = length(v);
  return turn_about(angle > 0.0 ? v / angle : vec3(0.0), angle);
}
#endif
