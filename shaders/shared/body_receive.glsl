// What passes have in common that turn what a dynamic body received into its motion: a workgroup per body.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) buffer SumBlock { uint body_sums[]; };
layout(set = 0, binding = 4, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 5, scalar) buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CommandBlock { RigidCommand rigid_commands[]; };
#include "shared/body_records.glsl"
#include "shared/body_joint.glsl"

uint body;
vec3 impulse, moment;  // N s, N m s about its origin; and sum_word of its points

// All threads call it; one of a dynamic body goes on.
bool receive() {
  body = group_index();
  if (body >= settings.worlds.count * settings.bodies.count || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return false;
  take_records(body, load_points);
  add_standing(body, 1u);
  impulse = sums_of(0u) * settings.bodies.load_quantum.x;
  moment = sums_of(3u) * settings.bodies.load_quantum.y;
  return gl_LocalInvocationID.x == 0u;
}
