#pragma once
// Where fine grains look for coarse ones, and how they leave walls and bodies, as the reference passes do it.
#include "engine/reference/space.h"

namespace talus::reference {

// In near cells.
inline vec3 near_place(vec3 p, const Settings& settings) {
  return glm::clamp((p - settings.domain_min) * settings.near_inverse, vec3(-1e6f), vec3(1e6f));
}

inline uint near_key(ivec3 cell, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], settings.near_cells[a]);
  return grid_key(cell, 0, settings.near_bits);
}

inline uint near_key_at(vec3 p, const Settings& settings) {
  return near_key(ivec3(glm::floor(near_place(p, settings))), settings);
}

// A fine grain on its way out of what it touches.
struct FineGrain {
  vec3 place, velocity;
  float radius, loose;

  // Out of a surface with this velocity, along its normal by depth.
  void leave(vec3 normal, float depth, vec3 surface, float friction);
};

void leave_solids(FineGrain& grain, const Fields& fields);
vec3 into_periods(vec3 place, const Settings& settings);

// The coarse grains around a fine one; weights as in fine_move.
struct Flow {
  float sum = 0.0f;               // of weights
  float most = 0.0f;              // the greatest of them
  vec3 way{0.0f};                 // of weights times velocities relative to that of the fine grain
  const Carrier* ball = nullptr;  // one that stands for a body, nearest by its surface
  float gap = 3.4e38f;            // m, to that
};
Flow flow_around(const Fields& fields, vec3 place, vec3 velocity);

// How a fine grain gives way where others crowd, by `most` [m] at most.
vec3 room(const Fields& fields, vec4 grain, float most);

}  // namespace talus::reference
