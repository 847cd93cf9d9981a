#pragma once
// Which grains are spheres of clumps, and where their clumps are.
#include "engine/reference/space.h"

namespace talus::reference {

#include "shaders/shared/laws/clump.h"

// Which sphere of its clump a grain is, from 1 on; 0: it is of none.
inline uint sphere_of(uint tag) {
  return tag >> tag_sphere_shift & tag_sphere_mask;
}

// Spheres of one clump do not touch each other.
inline bool same_clump(const Fields& f, uint i, uint j) {
  const uint a = sphere_of(f.grain_tag[i]), b = sphere_of(f.grain_tag[j]);
  return a > 0 && b > 0 && f.grain_id[i] - a == f.grain_id[j] - b;
}

// The place of sphere k, from 1 on, of the clump of grain i.
inline uint place_of_sphere(const Fields& f, uint i, uint k) {
  const uint first = world_of(f, i) * f.settings[0].worlds.places,
             place = first + f.clump_slots[first + f.grain_id[i] - sphere_of(f.grain_tag[i]) + k];
  TALUS_ASSERT(sphere_of(f.grain_tag[place]) == k, i, k, place);
  return place;
}

inline const ClumpKind& kind_of(const Fields& f, uint i) {
  TALUS_ASSERT(f.grain_tag[i] >> tag_kind_shift < f.clump_kinds.size(), i, f.grain_tag[i], f.clump_kinds.size());
  return f.clump_kinds[f.grain_tag[i] >> tag_kind_shift];
}

// Does it move, if it is the first sphere of a clump?
inline bool moves(const Grain& grain) {
  return !is_gone(grain) && grain.velocity.w > 0.0f;
}

// Angular velocity [rad/s]. inertia: principal moments per mass [m2].
inline vec3 spin_of(const ClumpMotion& clump, vec3 inertia) {
  return clump_spin(vec3(clump.rotation), clump.rotation.w, clump.momentum, inertia);
}

}  // namespace talus::reference
