#pragma once
// Where fine grains look for coarse ones, and how they leave walls and bodies, as the reference passes do it.
#include "engine/reference/space.h"
#include "shaders/shared/fine.h"

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

// The coarse grains around a place. Those that go through fine grains in their order find the cells around most of them
// at the place before.
class Near {
public:
  explicit Near(const Fields& fields) : f_(fields) {}

  // Calls visit(first, end) for stretches of Fields::carriers.
  void each(vec3 p, auto&& visit) {
    const Settings& settings = f_.settings[0];
    const vec3 place = near_place(p, settings), reach = near_reach * settings.near_radius * settings.near_inverse;
    const ivec3 home(glm::floor(place));
    if (rows_.empty() || home != home_)
      look_around(home);
    const vec3 within = place - vec3(home);
    for (const Row& row : rows_) {
      const vec2 low = vec2(row.at) - vec2(within.y, within.z);
      const vec2 off = glm::max(glm::max(low, -low - 1.0f), vec2(0.0f)) / vec2(reach.y, reach.z);
      if (glm::dot(off, off) < 1.0f)
        visit(row.first, row.end);
    }
  }

private:
  struct Row {
    glm::ivec2 at;  // y and z of its cells, from home
    uint first, end;
  };
  const Fields& f_;
  ivec3 home_{0};
  std::vector<Row> rows_;

  void look_around(ivec3 home) {
    home_ = home;
    rows_.clear();
    const Settings& settings = f_.settings[0];
    for (int z = -2; z <= 2; ++z)
      for (int y = -2; y <= 2; ++y) {
        const uint first = near_key(home + ivec3(-2, y, z), settings);
        const uint last = near_key(home + ivec3(2, y, z), settings);
        if (last - first == 4)
          rows_.push_back({{y, z}, f_.near_start[first], f_.near_start[last + 1]});
        else
          for (int x = -2; x <= 2; ++x) {
            const uint key = near_key(home + ivec3(x, y, z), settings);
            rows_.push_back({{y, z}, f_.near_start[key], f_.near_start[key + 1]});
          }
      }
  }
};

// A fine grain on its way out of what it touches.
struct FineGrain {
  vec3 place, velocity;
  float radius, loose;

  // Out of a surface with this velocity, along its normal by depth.
  void leave(vec3 normal, float depth, vec3 surface, float friction);
};

// Past walls and bodies on its way from `from` in `time` [s], and out of them where it ends. bodies: are any so near
// that it may touch them?
void leave_solids(FineGrain& grain, vec3 from, float time, const Fields& fields, bool bodies);
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
Flow flow_around(const Fields& fields, Near& near, vec3 place, vec3 velocity);

// How a fine grain gives way where there are more than it aims at, a share of the densest, by `most` [m] at most. Sets
// `away` [m] to how far it has been at least from all bodies in the last `time` [s], where it looked.
vec3 room(const Fields& fields, vec4 grain, float aim, float most, float time, float& away);

}  // namespace talus::reference
