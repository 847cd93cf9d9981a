#version 460
#extension GL_GOOGLE_include_directive : require
// Where each body is at the start of the substep, and how it moves from there.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer MotionBlock { BodyMotion body_motions[]; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };

void main() {
  uint b = element_index();
  if (b >= settings.bodies)
    return;
  BodyMotion m = body_motions[args.step * settings.bodies + b];
  float since = args.h * float(args.substep), speed = length(m.spin), half_turn = 0.5 * since * speed;
  vec4 turn = vec4(speed > 0.0 ? sin(half_turn) / speed * m.spin : vec3(0.0), cos(half_turn)), q = m.rotation;
  m.rotation = normalize(vec4(turn.w * q.xyz + q.w * turn.xyz + cross(turn.xyz, q.xyz), turn.w * q.w - dot(turn.xyz, q.xyz)));
  m.position += since * m.velocity;
  bodies[b].motion = m;
}
