// Where the spheres of clumps are. Needs what clump.glsl needs, and clump_slots.
#include "shared/clump.glsl"

// The place of sphere k, from 1 on, of the clump of grain i.
uint place_of_sphere(uint i, uint k) {
  uint first = many_worlds == 0u ? 0u : world_of(i) * settings.worlds.places;
  return first + clump_slots[first + grain_id[i] - sphere_of(grain_tag[i]) + k];
}
