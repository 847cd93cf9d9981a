// Where emitters look for room. Needs settings, status, emissions_due, emitted_count, emitted and sites in scope.
#include "shared/emission.h"

EmissionDue emissions_due_of(uint world, uint emitter) { return emissions_due[(step_of_batch * settings.worlds.count + world) * settings.emission.emitters + emitter]; }

Due due_of(uint world, uint emitter) {
  return due_of(emissions_due_of(world, emitter), emitted_count[world * settings.emission.emitters + emitter]);
}

// Places at which an emitted grain that waits is tried in a step.
uint tries_of(uint world, uint emitter) { return emissions_due_of(world, emitter).sites > 0u ? emission_tries : 1u; }

vec3 place_of_try(uint world, uint emitter, uint k, uint t) {
  if (t == 0u)
    return emitted[k].grain.position.xyz;
  EmissionDue schedule = emissions_due_of(world, emitter);
  precise vec3 place = sites[site_of(k, t, schedule, emitter)];
  if (schedule.spheres > 1u)  // a sphere, about the centre of its clump
    place += emitted[k].grain.position.xyz - emitted[k].center;
  return place;
}

bool has_no_room(vec3 place, float radius, vec4 other) {
  precise float least = emission_apart * (radius + other.w);
  precise vec3 way = place - other.xyz;
  return squared(shortest(way)) < least * least;
}
