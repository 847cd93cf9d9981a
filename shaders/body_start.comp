#version 460
#extension GL_GOOGLE_include_directive : require
// The motion of a dynamic body in the substep: gravity, what it is pushed with, and what its points received. With dem, what grains did,
// too. A workgroup per body.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) buffer SumBlock { uint body_sums[]; };
layout(set = 0, binding = 4, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 5, scalar) buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CommandBlock { RigidCommand rigid_commands[]; };
#include "shared/body_records.glsl"
#include "shared/body_joint.glsl"

void main() {
  uint body = group_index();
  if (body >= settings.bodies || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return;
  take_records(body, load_points);
  if (gl_LocalInvocationID.x != 0u)
    return;
  vec3 impulse = sums_of(0u) * settings.load_quantum.x, moment = sums_of(3u) * settings.load_quantum.y;
  BodyMotion m = bodies[body].motion;
  RigidCommand command = rigid_commands[body];
  vec3 pivot = bodies[body].pivot, arm = matrix_of(m.rotation) * (rigid[body].center - rigid[body].pivot);
  vec3 pull = args.h * (rigid[body].mass * settings.gravity + command.force);
  vec3 turning = moment - cross(pivot, impulse) + cross(arm, pull) + args.h * command.torque;
  RigidState s = rigid_states[body];
  s.velocity = m.velocity + cross(m.spin, pivot) + bodies[body].inverse_mass * (impulse + pull);
  s.spin = m.spin + bodies[body].inverse_inertia * turning;
  s.impulse = s.moment = vec3(0.0);
  s.step_impulse += impulse;
  s.step_moment += moment;
  s.points = max(float(sum_word), touch_fade * s.points);
  rigid_states[body] = s;
  set_motion(body);
}
