#version 460
#extension GL_GOOGLE_include_directive : require
// Where each body is at the start of the substep, and how it moves from there.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer MotionBlock { BodyMotion body_motions[]; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };

// Sine over x, and cosine, for x up to half pi: the built-in ones may be off by 2^-11.
float sine_share(float x2) {
  return 1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0 * (1.0 - x2 / 72.0 * (1.0 - x2 / 110.0))));
}
float cosine(float x2) {
  return 1.0 - x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0 * (1.0 - x2 / 56.0 * (1.0 - x2 / 90.0 * (1.0 - x2 / 132.0)))));
}

void main() {
  uint b = element_index();
  if (b >= settings.bodies)
    return;
  BodyMotion m = body_motions[args.step * settings.bodies + b];
  float since = args.h * float(args.substep), speed = length(m.spin), half_turn = 0.5 * since * speed;
  float x = half_turn - pi * round(half_turn / pi);  // the opposite quaternion is the same rotation
  vec3 axis = speed > 0.0 ? m.spin / speed : vec3(0.0);
  vec4 turn = vec4(x * sine_share(x * x) * axis, cosine(x * x)), q = m.rotation;
  m.rotation = normalize(vec4(turn.w * q.xyz + q.w * turn.xyz + cross(turn.xyz, q.xyz), turn.w * q.w - dot(turn.xyz, q.xyz)));
  m.position += since * m.velocity;
  bodies[b].motion = m;
}
