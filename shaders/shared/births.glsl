// Where emitters look for room. Needs settings, status, pours, births_made, births and spots in scope.
#include "shared/births.h"

Pour pour_of(uint world, uint emitter) { return pours[(step_of_batch * settings.worlds.count + world) * settings.emission.emitters + emitter]; }

Due due_of(uint world, uint emitter) {
  return due_of(pour_of(world, emitter), births_made[world * settings.emission.emitters + emitter]);
}

// Places at which a birth that waits is tried in a step.
uint tries_of(uint world, uint emitter) { return pour_of(world, emitter).spots > 0u ? birth_tries : 1u; }

vec3 place_of_try(uint world, uint emitter, uint k, uint t) {
  if (t == 0u)
    return births[k].grain.position.xyz;
  return spots[spot_of(k, t, pour_of(world, emitter), emitter)];
}

bool has_no_room(vec3 place, float radius, vec4 other) {
  precise float least = birth_apart * (radius + other.w);
  precise vec3 way = place - other.xyz;
  return squared(shortest(way)) < least * least;
}
