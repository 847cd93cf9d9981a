// The density grid: how many fine grains are around each node. `precise`, so that the CPU counts the same. Needs `settings` in scope.
#include "shared/density.h"

struct CrowdPlace {
  ivec3 node;   // the lowest one around it
  vec3 within;  // 0 .. 1 from there
};

CrowdPlace density_place(vec3 p) {
  precise vec3 c = clamp((p - settings.domain.min) * settings.density_grid.inverse, vec3(-1e6), vec3(1e6));
  vec3 low = floor(c);
  precise vec3 within = c - low;
  return CrowdPlace(ivec3(low), within);
}

ivec3 density_corner(ivec3 node, uint corner) {
  ivec3 at = node + ivec3(corner & 1u, corner >> 1 & 1u, corner >> 2);
  for (int a = 0; a < 3; ++a)
    at[a] = grid_wrap(at[a], settings.density_grid.nodes[a]);
  return at;
}

float density_weight(vec3 within, uint corner) {
  float x = (corner & 1u) != 0u ? within.x : 1.0 - within.x;
  float y = (corner >> 1 & 1u) != 0u ? within.y : 1.0 - within.y;
  float z = corner >> 2 != 0u ? within.z : 1.0 - within.z;
  precise float w = x * y * z;
  return w;
}
