#pragma once
// Where fine grains look for coarse ones, and how they leave walls and bodies, as the reference passes do it.
#include "engine/reference/space.h"
#include "shaders/shared/fine.h"

namespace talus::reference {

// In near cells.
inline vec3 near_place(vec3 p, const Settings& settings) {
  return glm::clamp((p - settings.domain.min) * settings.near_grid.inverse, vec3(-1e6f), vec3(1e6f));
}

// A near cell up to one period off, back into the domain along periodic axes.
inline ivec3 near_home(ivec3 cell, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], settings.near_grid.cells[a]);
  return cell;
}

inline uint near_key(ivec3 cell, const Settings& settings) {
  cell = near_home(cell, settings);
  TALUS_ASSERT(grid_key(cell, settings.near_grid.bits) < grid_cells(settings.near_grid.bits), cell.x, cell.y, cell.z);
  return grid_key(cell, settings.near_grid.bits);
}

inline uint near_key_at(vec3 p, const Settings& settings) {
  return near_key(ivec3(glm::floor(near_place(p, settings))), settings);
}

// The fastest kind of motion of the coarse grains within reach of p [m]: near_still, near_moves or near_stirs.
inline uint motion_near(const Fields& f, vec3 p) {
  const Settings& settings = f.settings[0];
  return f.near_motion[near_block(near_home(ivec3(glm::floor(near_place(p, settings))), settings),
                                  settings.near_grid.bits)];
}

// The coarse grains around a place. Those that go through fine grains in their order find the ones around most of them
// at the place before.
class Near {
public:
  explicit Near(const Fields& fields)
      : f_(fields), periodic_(glm::any(glm::equal(fields.settings[0].domain.axis, uvec3(axis_periodic)))) {}

  // Calls visit(carrier, way, q) for those whose reach holds p: the way from there [m], and its square in reaches.
  void each(vec3 p, auto&& visit) {
    const ivec3 home(glm::floor(near_place(p, f_.settings[0])));
    if (!looked_ || home != home_)
      look_around(home);
    measure(p);
    std::size_t within = 0;
    for (uint i = 0; i < q_.size(); ++i) {  // without a branch, which nobody could predict
      within_[within] = i;
      within += q_[i] < 1.0f ? 1 : 0;
    }
    for (std::size_t k = 0; k < within; ++k) {
      const uint i = within_[k];
      TALUS_ASSERT(i < one_advecting_.size(), k, i);
      visit(f_.advecting[one_advecting_[i]], way(p, i), q_[i]);
    }
  }

  std::size_t looked_at() const { return one_advecting_.size(); }  // the last time

private:
  const Fields& f_;
  bool periodic_, looked_ = false;
  ivec3 home_{0};
  std::vector<uint> one_advecting_, within_;
  std::vector<float> x_, y_, z_, scale_, q_;  // side by side, for the compiler to take several at a time

  vec3 way(vec3 p, uint i) const {
    const vec3 d = p - vec3(x_[i], y_[i], z_[i]);
    return periodic_ ? shortest(d, f_.settings[0]) : d;
  }

  void measure(vec3 p) {
    const uint count = static_cast<uint>(q_.size());
    if (periodic_) {
      for (uint i = 0; i < count; ++i)
        q_[i] = squared(way(p, i)) * scale_[i];
      return;
    }
    const float *x = x_.data(), *y = y_.data(), *z = z_.data(), *scale = scale_.data();
    float* q = q_.data();
    for (uint i = 0; i < count; ++i)
      q[i] = squared(vec3(p.x - x[i], p.y - y[i], p.z - z[i])) * scale[i];
  }

  void look_around(ivec3 home) {
    looked_ = true;
    home_ = home;
    one_advecting_.clear();
    const Settings& settings = f_.settings[0];
    const auto add = [&](uint first_cell, uint last_cell) {
      TALUS_ASSERT(f_.near_start[first_cell] <= f_.near_start[last_cell + 1], first_cell, last_cell);
      TALUS_ASSERT(f_.near_start[last_cell + 1] <= f_.advecting.size(), last_cell, f_.near_start[last_cell + 1]);
      for (uint j = f_.near_start[first_cell]; j < f_.near_start[last_cell + 1]; ++j)
        one_advecting_.push_back(j);
    };
    for (int z = -2; z <= 2; ++z)
      for (int y = -2; y <= 2; ++y) {
        const uint first = near_key(home + ivec3(-2, y, z), settings), last = near_key(home + ivec3(2, y, z), settings);
        if (last - first == 4)
          add(first, last);
        else
          for (int x = -2; x <= 2; ++x) {
            const uint key = near_key(home + ivec3(x, y, z), settings);
            add(key, key);
          }
      }
    for (std::vector<float>* values : {&x_, &y_, &z_, &scale_, &q_})
      values->resize(one_advecting_.size());
    within_.resize(one_advecting_.size());
    for (std::size_t i = 0; i < one_advecting_.size(); ++i) {
      const vec4 at = f_.advecting[one_advecting_[i]].position;
      x_[i] = at.x;
      y_[i] = at.y;
      z_[i] = at.z;
      scale_[i] = at.w;
    }
  }
};

// How far a fine grain is at least from all bodies, as they are now, where it was when it last went on [m].
float clear_before(const Fields& fields, uint i);
// Past walls and bodies on its way from `from` in `time` [s], and out of them where it ends. clear: as clear_before,
// then where it ends.
void leave_solids(FineGrain& grain, vec3 from, float time, const Fields& fields, float& clear);
vec3 into_periods(vec3 place, const Settings& settings);

// The coarse grains around a fine one; weights as in fine_move.
struct Flow : FlowSums {
  const AdvectingGrain* ball = nullptr;  // one that stands for a body, nearest by its surface
  float gap = 3.4e38f;                   // m, to that
};
Flow flow_around(Near& near, vec3 place, vec3 velocity);

// From the nearest body, where one is within sight of a fine grain that has gone on for `time` [s]. Sets `clear` [m] to
// how far all are, at least.
Distance nearest_body(const Fields& fields, vec3 place, float time, float& clear);

// How a fine grain gives way where there are more than it aims at, a share of the densest, by `most` [m] at most.
vec3 room(const Fields& fields, vec4 grain, float aim, float most, const Distance& body);

}  // namespace talus::reference
