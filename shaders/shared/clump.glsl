// Which grains are spheres of clumps. Needs settings, grain_id and grain_tag in scope.
layout(constant_id = 8) const uint with_clumps = 1u;  // constant_clumps

// Which sphere of its clump a grain is, from 1 on; 0: it is of none.
uint sphere_of(uint tag) { return tag >> tag_sphere_shift & tag_sphere_mask; }

// Spheres of one clump do not touch each other.
bool same_clump(uint i, uint j) {
  if (with_clumps == 0u)
    return false;
  uint a = sphere_of(grain_tag[i]), b = sphere_of(grain_tag[j]);
  return a > 0u && b > 0u && grain_id[i] - a == grain_id[j] - b;
}
