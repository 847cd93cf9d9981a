// Explicit dynamics, a pack at a time: the pass dem operation by operation what reference::dem does.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// What a spring has of the greatest stiffness (dem_spring.h), and the grain of what it does, by mass.
struct Shares {
  floats stiffness = all(1.0f), own = all(1.0f);
};

// Once, not in every clone.
[[gnu::noinline]] vec3 touch_body(const Args& args, Fields& f, uint i, uint partner, vec3 shear, vec3& change) {
  return reference::respond(args, f, i, partner, shear, change);
}

// Are contacts of two grains such that most of the law is not needed?
bool plain(const Settings& settings) {
  return settings.reach == 0.0f && !(settings.options & option_material_stiffness) &&
         (settings.options & option_memory) && settings.axis.x != axis_periodic && settings.axis.y != axis_periodic &&
         settings.axis.z != axis_periodic;
}

// What Finish wants to know, lane by lane.
struct Ends {
  floats fastest2{};  // m2/s2
  ints fast{};

  void report(Finish& finish) const {
    for (uint k = 0; k < lanes; ++k)
      finish.count(fastest2[k], static_cast<uint>(fast[k]));
  }
};

template <bool plain> class Springs : public Pack {
public:
  Springs(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), rate_(1.0f / args.h), memory_(plain || settings.options & option_memory) {}

  void touch_grains() {
    const auto touch = [&](const Row& row, const Contacts& c) {
      Shares shares{all(1.0f), all(0.5f)};
      if (any((grains.inverse_mass != row.grains.inverse_mass) | (grains.radius != row.grains.radius)))
        shares = shares_of(row.grains);
      respond(c, shares, laws(row), row.mask, false, row.slot);
    };
    each_row(touch, !plain, true);
  }

  // Bodies and walls, which come last.
  void touch_others() {
    each_row_of_others([&](uints partner, ints mask, std::size_t slot) {
      const ints wall = mask & (ints)(partner >= wall_partner);
      touch_bodies(mask & ~wall, slot);
      if (any(wall))
        touch_walls((ints)(partner - wall_partner), wall, slot);
    });
  }

  void end(Ends& ends, Finish& finish) {
    const vecs moved = grains.velocity + (change_ + all(h_ * settings.gravity));
    const vecs v = select(grains.inverse_mass > 0.0f, moved, grains.velocity);
    const Grains after{grains.position + all(h_) * v, grains.radius, v, grains.inverse_mass};
    store_grains(&f.grains_next[first], there, after);
    const floats speed2 = dot(v, v), radius = after.radius;
    const floats numbers =
        speed2 + absolute(after.position.x) + absolute(after.position.y) + absolute(after.position.z);
    const ints alive = lane_numbers < static_cast<int>(there);
    if (!plain || settings.cloth > 0 || any(alive & ~(numbers < std::numeric_limits<float>::infinity()))) {
      for (uint k = 0; k < there; ++k)
        finish.grain(first + k, f.grains_next[first + k]);
      return;
    }
    ends.fastest2 = larger(ends.fastest2, alive ? speed2 : floats{});
    ends.fast -= alive & (4.0f * (h_ * h_ * speed2) > radius * radius);
  }

private:
  float h_, rate_;  // s, 1/s
  bool memory_;
  vecs change_;  // m/s, of the velocities by all contacts so far

  // Grains that are not alike.
  Shares shares_of(const Grains& o) const {
    const floats w = grains.inverse_mass, r = grains.radius;
    const floats w_sum = w + o.inverse_mass, uneven = absolute(w - o.inverse_mass) / w_sum;
    const floats around = 0.5f * (1.0f + r / o.radius), around_other = 0.5f * (1.0f + o.radius / r);
    const floats crowd = (around * around * w + around_other * around_other * o.inverse_mass) / w_sum;
    return {(1.0f - uneven_share * uneven) / larger(all(1.0f), crowd), w / w_sum};
  }

  void touch_walls(ints wall, ints mask, std::size_t slot) {
    vecs normal{};
    floats gap{};
    const auto along = [&](int a, floats x, floats& n) {
      const ints low = wall == 2 * a, high = wall == 2 * a + 1;
      n = low ? all(1.0f) : high ? all(-1.0f) : floats{};
      gap = low ? x - settings.domain_min[a] : high ? settings.domain_max[a] - x : gap;
    };
    along(0, grains.position.x, normal.x);
    along(1, grains.position.y, normal.y);
    along(2, grains.position.z, normal.z);
    respond({normal, gap - grains.radius, {}, grains.radius, floats{}}, {},
            laws_of([&](uint) { return settings.materials; }), mask, true, slot);
  }

  // One after the other: bodies have shapes of their own.
  void touch_bodies(ints mask, std::size_t slot) {
    for (uint k = 0; k < lanes && any(mask); ++k) {
      if (!mask[k])
        continue;
      vec3 change = lane(change_, k);
      const vec3 before = memory_ ? vec3_at(f.contact_shear, slot + k) : vec3(0.0f);
      const uint i = first + k;
      const vec3 shear = touch_body(args, f, i, partner_at(f, i, slot + k), before, change);
      if (memory_)
        put(f.contact_shear, slot + k, shear);
      set_lane(change_, k, change);
    }
  }

  // As reference::respond.
  void respond(const Contacts& c, const Shares& shares, const Laws& law, ints mask, bool last, std::size_t slot) {
    const vecs relative = grains.velocity - c.velocity;
    const floats approach = dot(relative, c.normal), inverse_sum = grains.inverse_mass + c.inverse_mass;
    const floats radius = smaller(grains.radius, c.radius);
    floats kappa = shares.stiffness * dem_kappa, damping = shares.stiffness * (2.0f * dem_zeta * std::sqrt(dem_kappa));
    if (!plain && settings.options & option_material_stiffness) {
      kappa = smaller(h_ * h_ * law.stiffness * inverse_sum, kappa);
      damping = law.damping >= 0.0f ? smaller(h_ * law.damping * inverse_sum, all(dem_damping_limit))
                                    : 2.0f * dem_zeta * root(kappa);
    }
    floats hold{}, reach{};
    if (!plain && settings.reach > 0.0f) {
      hold = h_ * inverse_sum * law.adhesion * pi * radius * radius;
      reach = hold > 0.0f ? smaller(dem_hold_stretch * hold * h_ / kappa, dem_hold_reach * radius) : floats{};
    }
    const floats ahead =
        last ? dot(grains.velocity + change_ + all(h_ * settings.gravity) - c.velocity, c.normal) : approach;
    const floats brake = -ahead - rate_ * larger(c.gap + 0.5f * radius, floats{});
    const ints touches = mask & ((c.gap < reach) | (brake > 0.0f)) & (inverse_sum > 0.0f);
    if (memory_)
      this->ask_ahead(f.contact_shear, slot, 3);
    vecs shear = memory_ ? load_vecs(f.contact_shear, slot) : vecs{};
    const vecs before = shear;
    if (!any(touches)) {
      if (memory_ && any(mask & differ(before, vecs{})))
        store_vecs(f.contact_shear, slot, select(mask, vecs{}, before));
      return;
    }
    const vecs slip = relative - approach * c.normal;
    const floats spring = c.gap < reach ? larger(-hold, -kappa * rate_ * c.gap - damping * approach) : floats{};
    const floats push = larger(spring, brake), grip = brake > spring ? floats{} : push + hold;
    shear = shear - dot(shear, c.normal) * c.normal - (dem_tangential * kappa) * slip;
    vecs drag = shear - (0.5f * damping) * slip;
    const floats pull = root(dot(drag, drag));
    const ints slides = pull > law.friction_static * grip;
    const vecs slid = (law.friction_kinetic * grip / pull) * drag;  // no branch: whether one slides is hard to foretell
    shear = select(slides, slid, shear);
    drag = select(slides, slid, drag);
    change_ = select(touches, change_ + shares.own * (push * c.normal + drag), change_);
    if (memory_)
      store_vecs(f.contact_shear, slot, select(touches, shear, select(mask, vecs{}, before)));
  }
};

}  // namespace

TALUS_CLONES void dem(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f);
  Ends ends;
  const auto advance = [&](auto springs) {
    springs.touch_grains();
    springs.touch_others();
    springs.end(ends, finish);
  };
  const bool simple = plain(f.settings[0]);
  uint world = world_of(f, begin);
  for (uint first = begin; first < end; first += lanes) {
    if (const uint next = world_of(f, first); next != world) {
      ends.report(finish);
      ends = {};
      world = next;
    }
    finish.enter(first);
    if (simple)
      advance(Springs<true>(args, f, first));
    else
      advance(Springs<false>(args, f, first));
  }
  ends.report(finish);
  finish.flush();
}

}  // namespace talus::TALUS_CPU
#endif
