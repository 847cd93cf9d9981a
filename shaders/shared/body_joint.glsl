// The motion of a dynamic body in a substep: what it had, what grains do, and what its joint does about both. Needs rigid, rigid_states,
// rigid_commands and bodies in scope; bodies may be written.

#include "shared/laws/joint.h"

void set_motion(uint body) {
  RigidState s = rigid_states[body];
  vec3 pivot = bodies[body].pivot;
  mat3 inverse_mass = bodies[body].inverse_mass, inverse_inertia = bodies[body].inverse_inertia;
  vec3 velocity = s.velocity + inverse_mass * s.impulse, spin = s.spin + inverse_inertia * (s.moment - cross(pivot, s.impulse));
  joint_motion(rigid[body], rigid_commands[body], s.value, bodies[body].motion.rotation, inverse_mass, inverse_inertia, args.h, velocity, spin);
  bodies[body].motion.velocity = velocity - cross(spin, pivot);
  bodies[body].motion.spin = spin;
}
