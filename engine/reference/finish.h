#pragma once
// The end of a grain's substep.
#include "engine/reference/space.h"
#include <bit>
#include <utility>

namespace talus::reference {

// Grains back into the periodic box, which is counted, the greatest speed for the next plan, and is every number still
// a number? Collects over the grains of one range, world after world; flush() at its end.
class Finish {
public:
  // counts_fast: false where these grains' speeds of the substep have been counted before.
  Finish(const Args& args, Fields& f, bool counts_fast = true) : f_(f), h_(args.h), counts_fast_(counts_fast) {}

  // The grains to come are of the same world as grain i.
  void enter(uint i) {
    if (const uint world = world_of(f_, i); world != world_) {
      flush();
      world_ = world;
    }
  }

  void grain(uint i, Grain& g) {
    enter(i);
    if (is_gone(g))
      return;
    const Settings& settings = f_.settings[0];
    const float speed2 = squared(vec3(g.velocity));
    if (!std::isfinite(speed2 + std::abs(g.position.x) + std::abs(g.position.y) + std::abs(g.position.z))) {
      atomic_min(f_.worlds[world_].invalid, i);
      return;
    }
    for (int a = 0; a < 3; ++a)
      if (settings.domain.axis[a] == axis_periodic) {
        int laps;
        g.position[a] = around(g.position[a], settings.domain.min[a], settings.domain.max[a], laps);
        (laps > 0 ? crossed_up_ : crossed_down_)[a] += static_cast<uint>(std::abs(laps));
      }
    fastest2_ = std::max(fastest2_, speed2);
    fast_ += counts_fast_ && !(f_.grain_tag[i] & tag_thin) && 4.0f * (h_ * h_ * speed2) > g.position.w * g.position.w;
  }

  // Of grains that have been looked at elsewhere: their greatest squared speed [m2/s2], and how many are fast.
  void count(float fastest2, uint fast) {
    fastest2_ = std::max(fastest2_, fastest2);
    fast_ += fast;
  }

  void flush() {
    TALUS_ASSERT(world_ < f_.worlds.size(), world_);
    World& world = f_.worlds[world_];
    atomic_max(world.motion.speed2_bits, std::bit_cast<uint>(std::exchange(fastest2_, 0.0f)));
    if (fast_)
      atomic_ref(world.motion.cfl_violations).fetch_add(std::exchange(fast_, 0u));
    for (int a = 0; a < 3; ++a) {
      if (crossed_up_[a])
        atomic_ref(world.periodic.up[a]).fetch_add(std::exchange(crossed_up_[a], 0u));
      if (crossed_down_[a])
        atomic_ref(world.periodic.down[a]).fetch_add(std::exchange(crossed_down_[a], 0u));
    }
  }

private:
  Fields& f_;
  float h_, fastest2_ = 0.0f;
  bool counts_fast_;
  uint world_ = 0, fast_ = 0;
  uvec3 crossed_up_{0}, crossed_down_{0};
};

}  // namespace talus::reference
