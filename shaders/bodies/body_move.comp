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

void main() {
  uint b = element_index();
  if (b >= settings.worlds.count * settings.bodies.count)
    return;
  if (settings.bodies.rigid > 0u && rigid[b].mass > 0.0) {
    BodyMotion m = rigid_states[b].motion;
    mat3 turn = matrix_of(m.rotation);
    bodies[b].motion = m;
    bodies[b].pivot = turn * rigid[b].pivot;
    bodies[b].inverse_mass = rigid[b].inverse_mass;
    bodies[b].inverse_inertia = turn * rigid[b].inverse_inertia * transpose(turn);
    return;
  }
  BodyMotion m = body_motions[step_of_batch * settings.worlds.count * settings.bodies.count + b];
  float since = args.h * float(args.substep);
  m.rotation = then_turned(m.rotation, turn_for(m.spin, since));
  m.position += since * m.velocity;
  bodies[b].motion = m;
}
