#version 460
#extension GL_GOOGLE_include_directive : require
// Where each body is at the start of the substep, and how it moves from there.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer MotionBlock { BodyMotion body_motions[]; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 5, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 4, scalar) readonly buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 6, scalar) buffer CommandBlock { RigidCommand rigid_commands[]; };

void main() {
  uint b = element_index();
  if (b >= settings.worlds.count * settings.bodies.count)
    return;
  if (step_of_batch >= args.steps)  // the batch is done, and no motion is scheduled
    return;
  BodyMotion scheduled = body_motions[step_of_batch * settings.worlds.count * settings.bodies.count + b];
  float since = args.h * float(status.substep);
  if (settings.bodies.rigid > 0u && rigid[b].mass > 0.0) {
    // As the host has it of a dynamic body: where its motor's target is and how fast that moves, and the motor's speed.
    if ((rigid_commands[b].motor_scheduled & 1u) != 0u) {
      rigid_commands[b].motor_target = scheduled.position.x + since * scheduled.velocity.x;
      rigid_commands[b].motor_speed = scheduled.velocity.x;
    }
    if ((rigid_commands[b].motor_scheduled & 2u) != 0u)
      rigid_commands[b].motor_speed = scheduled.position.y + since * scheduled.velocity.y;
    BodyMotion m = rigid_states[b].motion;
    mat3 turn = matrix_of(m.rotation);
    bodies[b].motion = m;
    bodies[b].asleep = rigid_states[b].rest.state == rest_asleep ? 1u : 0u;
    bodies[b].pivot = turn * rigid[b].pivot;
    bodies[b].inverse_mass = rigid[b].inverse_mass;
    bodies[b].inverse_inertia = turn * rigid[b].inverse_inertia * transpose(turn);
    return;
  }
  BodyMotion m = scheduled;
  m.rotation = then_turned(m.rotation, turn_for(m.spin, since));
  m.position += since * m.velocity;
  bodies[b].motion = m;
}
