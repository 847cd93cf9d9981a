// Explicit dynamics, half a slice at a time: the pass dem operation by operation what reference::dem does.
#include "engine/cpu/lanes.h"
#include "engine/cpu/passes.h"
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include <limits>

#ifdef TALUS_LANES
namespace talus::cpu {
namespace {

using namespace reference;

// Contact laws of eight pairs.
struct Laws {
  floats friction_static, friction_kinetic, stiffness, damping, adhesion;
};

// Eight contacts, seen from the grains.
struct Contacts {
  vecs normal;
  floats gap;
  vecs velocity;       // of the partners
  floats radius;       // the smaller of both
  floats inverse_sum;  // w of the grain and the partner
  floats stiffness;    // share of the greatest (dem_spring.h)
  floats share;        // of the grain, by mass
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

template <bool plain> class HalfSlice {
public:
  HalfSlice(const Args& args, Fields& f, uint first)
      : args_(args), f_(f), settings_(f.settings[0]), first_(first), there_(std::min(lanes, args.grains - first)),
        first_place_(static_cast<int>(world_of(f, first) * settings_.places)), h_(args.h), rate_(1.0f / args.h),
        memory_(plain || settings_.options & option_memory), at_(lane_numbers + static_cast<int>(first)),
        grains_(load_grains([&](uint k) { return &f.grains[first + k]; })) {
    const ints count = load<ints>(&f.contact_count[first]);
    count_ = lane_numbers < static_cast<int>(there_) ? count : ints{};
    for (uint k = 0; k < lanes; ++k)
      rows_ = std::max(rows_, count_[k]);
  }

  void touch_grains() {
    const std::size_t slots = first_slot();
    for (int row = 0; row < rows_; ++row) {
      const std::size_t slot = slots + static_cast<uint>(row) * slice_grains;
      const auto partner = load<uints>(&f_.contact_partner[slot]);
      const ints within = row < count_, grain = within & (ints)(partner < triangle_partner);
      if (any(within & ~grain))
        others_ = std::min(others_, row);
      if (!any(grain))
        break;
      const ints other = grain ? (ints)partner + first_place_ : at_;
      uint places[lanes];
      store(places, other);
      const Grains others = load_grains([&](uint k) { return &f_.grains[places[k]]; });
      vecs d = grains_.position - others.position;
      if (!plain)
        d = shortest(d, settings_);
      const floats distance = root(dot(d, d)), reach = grains_.radius + others.radius;
      Contacts contacts{normal_of(d, distance, other),
                        distance - reach,
                        others.velocity,
                        smaller(grains_.radius, others.radius),
                        grains_.inverse_mass + others.inverse_mass,
                        all(1.0f),
                        all(0.5f)};
      if (any((grains_.inverse_mass != others.inverse_mass) | (grains_.radius != others.radius)))
        weigh(contacts, others);
      const auto material = [&](uint k) { return material_of(f_.grain_tag[places[k]]); };
      respond(contacts, laws_of(material), grain, false, slot);
    }
  }

  // Bodies and walls, which come last in a row.
  void touch_others() {
    const std::size_t slots = first_slot();
    for (int row = others_; row < rows_; ++row) {
      const std::size_t slot = slots + static_cast<uint>(row) * slice_grains;
      const auto partner = load<uints>(&f_.contact_partner[slot]);
      const ints within = row < count_, wall = within & (ints)(partner >= wall_partner);
      touch_bodies(within & ~wall & (ints)(partner >= body_partner), slot);
      if (any(wall))
        touch_walls((ints)(partner - wall_partner), wall, slot);
    }
  }

  void end(Ends& ends, Finish& finish) {
    const vecs moved = grains_.velocity + (change_ + all(h_ * settings_.gravity));
    const vecs v = select(grains_.inverse_mass > 0.0f, moved, grains_.velocity);
    const Grains after{grains_.position + all(h_) * v, grains_.radius, v, grains_.inverse_mass};
    store_grains(&f_.grains_next[first_], there_, after);
    const floats speed2 = dot(v, v), radius = after.radius;
    const floats numbers =
        speed2 + absolute(after.position.x) + absolute(after.position.y) + absolute(after.position.z);
    const ints there = lane_numbers < static_cast<int>(there_);
    if (!plain || settings_.cloth > 0 || any(there & ~(numbers < std::numeric_limits<float>::infinity()))) {
      for (uint k = 0; k < there_; ++k)
        finish.grain(first_ + k, f_.grains_next[first_ + k]);
      return;
    }
    ends.fastest2 = larger(ends.fastest2, there ? speed2 : floats{});
    ends.fast -= there & (4.0f * (h_ * h_ * speed2) > radius * radius);
  }

private:
  using uints = uint __attribute__((vector_size(4 * lanes)));

  const Args& args_;
  Fields& f_;
  const Settings& settings_;
  uint first_, there_;
  int rows_ = 0, others_ = 1 << 30;  // .. from which on some partners are no grains
  int first_place_;                  // of its world
  float h_, rate_;                   // s, 1/s
  bool memory_;
  ints at_, count_;
  Grains grains_;
  vecs change_;  // m/s, of the velocities by all contacts so far

  std::size_t first_slot() const { return contact_slot(f_, first_, 0); }

  // Coincident centres part along z, the one first in memory upwards.
  vecs normal_of(const vecs& d, floats distance, ints other) const {
    const ints apart = distance > 0.0f;
    const floats up = at_ < other ? all(1.0f) : all(-1.0f);
    return select(apart, d / distance, {floats{}, floats{}, up});
  }

  // Grains that are not alike.
  void weigh(Contacts& c, const Grains& o) const {
    const floats w = grains_.inverse_mass, r = grains_.radius;
    const floats w_sum = c.inverse_sum, uneven = absolute(w - o.inverse_mass) / w_sum;
    const floats around = 0.5f * (1.0f + r / o.radius), around_other = 0.5f * (1.0f + o.radius / r);
    const floats crowd = (around * around * w + around_other * around_other * o.inverse_mass) / w_sum;
    c.stiffness = (1.0f - uneven_share * uneven) / larger(all(1.0f), crowd);
    c.share = w / w_sum;
  }

  static Laws same(const PairLaw& law) {
    return {all(law.friction_static), all(law.friction_kinetic), all(law.stiffness), all(law.damping),
            all(law.adhesion)};
  }
  // partner(k): material of lane k's partner.
  template <class Material> Laws laws_of(Material partner) const {
    if (settings_.materials == 1)
      return same(f_.pair_laws[partner(0)]);
    const PairLaw* of[lanes];
    bool alike = true;
    for (uint k = 0; k < lanes; ++k) {
      const uint lane = std::min(k, there_ - 1), own = material_of(f_.grain_tag[first_ + lane]);
      of[k] = &f_.pair_laws[own * (settings_.materials + 1) + partner(lane)];
      alike = alike && of[k] == of[0];
    }
    if (alike)
      return same(*of[0]);
    Laws laws;
    for (uint k = 0; k < lanes; ++k) {
      laws.friction_static[k] = of[k]->friction_static;
      laws.friction_kinetic[k] = of[k]->friction_kinetic;
      laws.stiffness[k] = of[k]->stiffness;
      laws.damping[k] = of[k]->damping;
      laws.adhesion[k] = of[k]->adhesion;
    }
    return laws;
  }

  void touch_walls(ints wall, ints mask, std::size_t slot) {
    vecs normal{};
    floats gap{};
    const auto along = [&](int a, floats x, floats& n) {
      const ints low = wall == 2 * a, high = wall == 2 * a + 1;
      n = low ? all(1.0f) : high ? all(-1.0f) : floats{};
      gap = low ? x - settings_.domain_min[a] : high ? settings_.domain_max[a] - x : gap;
    };
    along(0, grains_.position.x, normal.x);
    along(1, grains_.position.y, normal.y);
    along(2, grains_.position.z, normal.z);
    const Contacts contacts{normal,   gap - grains_.radius, {}, grains_.radius, grains_.inverse_mass, all(1.0f),
                            all(1.0f)};
    respond(contacts, laws_of([&](uint) { return settings_.materials; }), mask, true, slot);
  }

  // One after the other: bodies have shapes of their own.
  void touch_bodies(ints mask, std::size_t slot) {
    for (uint k = 0; k < lanes && any(mask); ++k) {
      if (!mask[k])
        continue;
      vec3 change(change_.x[k], change_.y[k], change_.z[k]);
      const vec3 before = memory_ ? f_.contact_shear[slot + k] : vec3(0.0f);
      const vec3 shear = touch_body(args_, f_, first_ + k, partner_at(f_, first_ + k, slot + k), before, change);
      if (memory_)
        f_.contact_shear[slot + k] = shear;
      change_.x[k] = change.x;
      change_.y[k] = change.y;
      change_.z[k] = change.z;
    }
  }

  // As reference::respond.
  void respond(const Contacts& c, const Laws& law, ints mask, bool last, std::size_t slot) {
    const vecs relative = grains_.velocity - c.velocity;
    const floats approach = dot(relative, c.normal);
    floats kappa = c.stiffness * dem_kappa, damping = c.stiffness * (2.0f * dem_zeta * std::sqrt(dem_kappa));
    if (!plain && settings_.options & option_material_stiffness) {
      kappa = smaller(h_ * h_ * law.stiffness * c.inverse_sum, kappa);
      damping = law.damping >= 0.0f ? smaller(h_ * law.damping * c.inverse_sum, all(dem_damping_limit))
                                    : 2.0f * dem_zeta * root(kappa);
    }
    floats hold{}, reach{};
    if (!plain && settings_.reach > 0.0f) {
      hold = h_ * c.inverse_sum * law.adhesion * pi * c.radius * c.radius;
      reach = hold > 0.0f ? smaller(dem_hold_stretch * hold * h_ / kappa, dem_hold_reach * c.radius) : floats{};
    }
    const floats ahead =
        last ? dot(grains_.velocity + change_ + all(h_ * settings_.gravity) - c.velocity, c.normal) : approach;
    const floats brake = -ahead - rate_ * larger(c.gap + 0.5f * c.radius, floats{});
    const ints touches = mask & ((c.gap < reach) | (brake > 0.0f)) & (c.inverse_sum > 0.0f);
    vecs shear = memory_ ? load_vecs(&f_.contact_shear[slot]) : vecs{};
    const vecs before = shear;
    if (!any(touches)) {
      if (memory_ && any(mask & differ(before, vecs{})))
        store_vecs(&f_.contact_shear[slot], select(mask, vecs{}, before));
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
    change_ = select(touches, change_ + c.share * (push * c.normal + drag), change_);
    if (memory_)
      store_vecs(&f_.contact_shear[slot], select(touches, shear, select(mask, vecs{}, before)));
  }
};

}  // namespace

TALUS_CLONES void dem(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f);
  Ends ends;
  const auto advance = [&](auto half) {
    half.touch_grains();
    half.touch_others();
    half.end(ends, finish);
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
      advance(HalfSlice<true>(args, f, first));
    else
      advance(HalfSlice<false>(args, f, first));
  }
  ends.report(finish);
  finish.flush();
}

}  // namespace talus::cpu
#endif
