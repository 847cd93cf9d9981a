#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the places, of those that emitted grains are tried at in this step, at which a grain is in the way. A thread per grain: few are near an
// emitter.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer PoursBlock { EmissionDue emissions_due[]; };
layout(set = 0, binding = 3, scalar) readonly buffer MadeBlock { uint emitted_count[]; };
layout(set = 0, binding = 4, scalar) buffer BirthsBlock { EmittedGrain emitted[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SpoutBlock { EmitterRegion emitter_regions[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SpotBlock { vec3 sites[]; };
layout(set = 0, binding = 8, scalar) readonly buffer GrainsBlock { Grain grains[]; };
#include "shared/space.glsl"
#include "shared/emission.glsl"

void meet(uint world, uint emitter, uint k, uint tries, vec4 grain) {
  uint blocked = 0u;
  for (uint t = 0u; t < tries; ++t)
    blocked |= has_no_room(place_of_try(world, emitter, k, t), emitted[k].grain.position.w, grain) ? 1u << t : 0u;
  if (blocked != 0u)
    atomicOr(emitted[k].blocked, blocked);
}

void main() {
  uint i = element_index();
  if (i >= args.grains || status.halt != halt_none || grains[i].position.w == 0.0)  // gone
    return;
  uint world = world_of(i);
  vec4 grain = grains[i].position;
  for (uint emitter = 0u; emitter < settings.emission.emitters; ++emitter) {
    Due due = due_of(world, emitter);
    if (due.late == due.late_end && due.now == due.end)
      continue;
    precise vec3 way = grain.xyz - emitter_regions[emitter].middle, near = emitter_regions[emitter].half_edges + (emitter_regions[emitter].radius + grain.w);
    way = shortest(way);
    if (any(greaterThan(abs(way), near)))
      continue;
    for (uint k = due.late; k < due.late_end; ++k)
      meet(world, emitter, k, tries_of(world, emitter), grain);
    for (uint k = due.now; k < due.end; ++k)
      meet(world, emitter, k, 1u, grain);
  }
}
