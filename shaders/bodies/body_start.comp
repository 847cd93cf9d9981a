#version 460
#extension GL_GOOGLE_include_directive : require
// The motion of a dynamic body in the substep: gravity, what it is pushed with, and what its points received. With dem, what grains did,
// too. A workgroup per body.
#include "shared/body_receive.glsl"

void main() {
  if (!receive())
    return;
  BodyMotion m = bodies[body].motion;
  RigidCommand command = rigid_commands[body];
  vec3 pivot = bodies[body].pivot, arm = matrix_of(m.rotation) * (rigid[body].center - rigid[body].pivot);
  vec3 pull = args.h * (rigid[body].mass * settings.domain.gravity + command.force);
  vec3 turning = moment - cross(pivot, impulse) + cross(arm, pull) + args.h * command.torque;
  RigidState s = rigid_states[body];
  s.velocity = m.velocity + cross(m.spin, pivot) + bodies[body].inverse_mass * (impulse + pull);
  s.spin = m.spin + bodies[body].inverse_inertia * turning;
  s.impulse = s.moment = vec3(0.0);
  s.step_impulse += impulse;
  s.step_moment += moment;
  s.push.impulse += impulse + pull;
  s.push.moment += turning;
  s.points = max(float(sum_word), touch_fade * s.points);
  s.rest.touched = impulse != vec3(0.0) || moment != vec3(0.0) ? 1u : 0u;
  rigid_states[body] = s;
  set_motion(body);
}
