#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the places, of those that emitted grains are tried at in this step, at which a body is in the way. A workgroup per emitter of a world.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer PoursBlock { EmissionDue emissions_due[]; };
layout(set = 0, binding = 3, scalar) readonly buffer MadeBlock { uint emitted_count[]; };
layout(set = 0, binding = 4, scalar) buffer BirthsBlock { EmittedGrain emitted[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SpotBlock { vec3 sites[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/emission.glsl"

bool meets_body(uint world, vec3 place, float radius) {
  for (uint body = world * settings.bodies.count; body < (world + 1u) * settings.bodies.count; ++body) {
    if (bodies[body].parts == 0u)  // of grains alone
      continue;
    precise vec3 offset = place - bodies[body].motion.position;
    precise float around = bodies[body].reach + radius;
    offset = shortest(offset);
    if (squared(offset) < around * around && from_body(body, offset).w < emission_apart * radius)
      return true;
  }
  return false;
}

void test(uint world, uint emitter, uint k, uint tries) {
  uint blocked = 0u;
  for (uint t = 0u; t < tries; ++t)
    blocked |= meets_body(world, place_of_try(world, emitter, k, t), emitted[k].grain.position.w) ? 1u << t : 0u;
  emitted[k].blocked = blocked;
}

void main() {
  uint n = group_index(), lane = gl_LocalInvocationID.x;
  if (n >= settings.worlds.count * settings.emission.emitters || status.halt != halt_none)
    return;
  uint world = n / settings.emission.emitters, emitter = n % settings.emission.emitters;
  Due due = due_of(world, emitter);
  for (uint k = due.late + lane; k < due.late_end; k += group_size)
    test(world, emitter, k, tries_of(world, emitter));
  for (uint k = due.now + lane; k < due.end; k += group_size)
    test(world, emitter, k, 1u);
}
