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

// Calls visit(first, end) for the stretches of Fields::carriers in which the coarse grains around a place are.
void each_near(const Fields& f, vec3 p, auto&& visit) {
  const Settings& settings = f.settings[0];
  const vec3 place = near_place(p, settings), reach = near_reach * settings.near_radius * settings.near_inverse;
  const ivec3 home(glm::floor(place));
  const vec3 within = place - vec3(home);
  const auto off = [&](int cell, int a) {  // from a layer of cells, in reaches
    const float low = static_cast<float>(cell) - within[a];
    return std::max({low, -low - 1.0f, 0.0f}) / reach[a];
  };
  for (int z = -2; z <= 2; ++z)
    for (int y = -2; y <= 2; ++y) {
      const float off_y = off(y, 1), off_z = off(z, 2), left = 1.0f - (off_y * off_y + off_z * off_z);
      if (left <= 0.0f)
        continue;
      const float half_row = 1.0001f * reach.x * std::sqrt(left);
      const int low = std::max(-2, static_cast<int>(std::floor(within.x - half_row)));
      const int high = std::min(2, static_cast<int>(std::floor(within.x + half_row)));
      const uint first = near_key(home + ivec3(low, y, z), settings);
      const uint last = near_key(home + ivec3(high, y, z), settings);
      if (last - first == static_cast<uint>(high - low))
        visit(f.near_start[first], f.near_start[last + 1]);
      else
        for (int x = low; x <= high; ++x) {
          const uint key = near_key(home + ivec3(x, y, z), settings);
          visit(f.near_start[key], f.near_start[key + 1]);
        }
    }
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
  vec3 lean{0.0f};                // of weights times ways from the coarse grains [m]
  vec3 way{0.0f};                 // of weights times velocities relative to that of the fine grain
  float squares = 0.0f;           // of weights times the squares of these [m2/s2]
  const Carrier* ball = nullptr;  // one that stands for a body, nearest by its surface
  float gap = 3.4e38f;            // m, to that
};
Flow flow_around(const Fields& fields, vec3 place, vec3 velocity);

// How a fine grain gives way where there are more than it aims at, a share of the densest, by `most` [m] at most.
vec3 room(const Fields& fields, vec4 grain, float aim, float most);

}  // namespace talus::reference
