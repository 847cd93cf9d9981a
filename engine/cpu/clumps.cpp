// Clumps, a pack at a time: one in each lane, of whatever kind.
#include "engine/cpu/laws.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// As reference::spin_of and so on.
struct Motions {
  vecs4 rotation;
  vecs position, velocity, momentum;

  vecs spin(const vecs& inertia) const { return clump_spin(rotation.xyz, rotation.w, momentum, inertia); }
};

class Clumps {
public:
  Clumps(const Args& args, Fields& f, Finish& finish) : args_(args), f_(f), settings_(f.settings[0]), finish_(finish) {}

  // Grain i is the first sphere of a clump that moves.
  void add(uint i) {
    if (const uint world = world_of(f_, i); world != world_) {
      flush();
      world_ = world;
      finish_.enter(i);
    }
    firsts_[there_++] = i;
    if (there_ == lanes)
      move();
  }

  void flush() {
    if (there_ > 0)
      move();
    for (uint k = 0; k < lanes; ++k)
      finish_.count(fastest2_[k], 0);
    fastest2_ = floats{};
  }

private:
  const Args& args_;
  Fields& f_;
  const Settings& settings_;
  Finish& finish_;
  uint firsts_[lanes], there_ = 0, world_ = 0;
  floats fastest2_{};  // m2/s2
  const ClumpKind* kinds_[lanes];
  const uint* slots_[lanes];  // of the spheres, within the world
  uint first_place_ = 0;      // of the world
  bool alike_ = true;         // are all of one kind?
  ints spheres_{};
  floats size_{};  // m, radii of the first spheres
  vecs inertia_;

  bool periodic() const {
    return settings_.domain.axis.x == axis_periodic || settings_.domain.axis.y == axis_periodic ||
           settings_.domain.axis.z == axis_periodic;
  }

  // member(kind): a number of each lane's kind.
  template <class Member> floats of_kinds(Member member) const {
    if (alike_)
      return all(member(*kinds_[0]));
    floats out;
    for (uint k = 0; k < lanes; ++k)
      out[k] = member(*kinds_[k]);
    return out;
  }
  template <class Member> vecs vecs_of_kinds(Member member) const {
    return {of_kinds([&](const ClumpKind& kind) { return member(kind).x; }),
            of_kinds([&](const ClumpKind& kind) { return member(kind).y; }),
            of_kinds([&](const ClumpKind& kind) { return member(kind).z; })};
  }

  uint place(uint lane, uint sphere) const {  // lanes with fewer spheres: of their first one
    return first_place_ + slots_[lane][sphere < kinds_[lane]->spheres ? sphere : 0];
  }
  vecs lever(const Motions& m, uint sphere) const {
    return clump_turned(m.rotation.xyz, m.rotation.w,
                        size_ * vecs_of_kinds([&](const ClumpKind& kind) { return vec3(kind.place[sphere]); }));
  }

  // Lanes beyond the last clump have it once more.
  void gather() {
    first_place_ = world_ * settings_.worlds.places;
    for (uint k = there_; k < lanes; ++k)
      firsts_[k] = firsts_[there_ - 1];
    alike_ = true;
    for (uint k = 0; k < lanes; ++k) {
      kinds_[k] = &kind_of(f_, firsts_[k]);
      slots_[k] = &f_.clump_slots[first_place_ + f_.grain_id[firsts_[k]]];
      alike_ = alike_ && kinds_[k] == kinds_[0];
      spheres_[k] = static_cast<int>(kinds_[k]->spheres);
      size_[k] = f_.grains[firsts_[k]].position.w;
    }
    inertia_ = size_ * size_ * vecs_of_kinds([](const ClumpKind& kind) { return kind.inertia; });
  }

  Motions load_motions() const {
    Motions m;
    for (uint k = 0; k < lanes; ++k) {
      const ClumpMotion& clump = f_.clump_motions[firsts_[k]];
      set_lane(m.rotation.xyz, k, vec3(clump.rotation));
      m.rotation.w[k] = clump.rotation.w;
      set_lane(m.position, k, clump.position);
      set_lane(m.velocity, k, clump.velocity);
      set_lane(m.momentum, k, clump.momentum);
    }
    return m;
  }

  void store_motions(const Motions& m) {
    for (uint k = 0; k < there_; ++k)
      f_.clump_motions[firsts_[k]] = {vec4(lane(m.rotation.xyz, k), m.rotation.w[k]), lane(m.position, k),
                                      lane(m.velocity, k), lane(m.momentum, k)};
  }

  void advance(Motions& m, int most) const {
    const vecs spin = m.spin(inertia_), fall = all(args_.h * settings_.domain.gravity);
    vecs velocity_change, momentum_change;
    for (uint s = 0; s < static_cast<uint>(most); ++s) {
      const Grains spheres = load_grains([&](uint k) { return f_.grains.data() + place(k, s); });
      const vecs4 spins = load_spins([&](uint k) { return f_.grain_spin.data() + place(k, s); });
      const vecs arm = lever(m, s), without = clump_velocity(m.velocity, spin, arm) + fall;
      vecs velocity = velocity_change, momentum = momentum_change;
      clump_add_change(spheres.velocity - without, spins.xyz - spheres.radius * spin, arm, spheres.radius, spins.w,
                       of_kinds([&](const ClumpKind& kind) { return kind.weight[s]; }), velocity, momentum);
      const ints has = spheres_ > static_cast<int>(s);
      velocity_change = select(has, velocity, velocity_change);
      momentum_change = select(has, momentum, momentum_change);
    }
    m.velocity = m.velocity + (velocity_change + fall);
    m.momentum = m.momentum + momentum_change;
    clump_turn(m.rotation.xyz, m.rotation.w, m.momentum, inertia_, args_.h);
    m.position = m.position + args_.h * m.velocity;
    const auto wrap = [&](floats& x, int a) {
      for (uint k = 0; settings_.domain.axis[a] == axis_periodic && k < lanes; ++k)
        x[k] = into_period(x[k], settings_.domain.min[a], settings_.domain.max[a]);
    };
    wrap(m.position.x, 0);
    wrap(m.position.y, 1);
    wrap(m.position.z, 2);
  }

  void place_spheres(const Motions& m, int most) {
    const vecs spin = m.spin(inertia_);
    for (uint s = 0; s < static_cast<uint>(most); ++s) {
      Grains spheres = load_grains([&](uint k) { return f_.grains.data() + place(k, s); });
      vecs4 spins = load_spins([&](uint k) { return f_.grain_spin.data() + place(k, s); });
      const vecs arm = lever(m, s);
      spheres.position = spheres.position + shortest((m.position + arm) - spheres.position, settings_);
      spheres.velocity = clump_velocity(m.velocity, spin, arm);
      spins.xyz = spheres.radius * spin;
      const ints has = (spheres_ > static_cast<int>(s)) & (lane_numbers < static_cast<int>(there_));
      Grain unused_grains[lanes];
      vec4 unused_spins[lanes];
      store_grains([&](uint k) { return has[k] ? f_.grains.data() + place(k, s) : &unused_grains[k]; }, lanes, spheres);
      store_spins([&](uint k) { return has[k] ? f_.grain_spin.data() + place(k, s) : &unused_spins[k]; }, lanes, spins);
      const floats speed2 = squared(spheres.velocity);
      const floats numbers = speed2 + abs(spheres.position.x) + abs(spheres.position.y) + abs(spheres.position.z);
      if (periodic() || any(has & ~(numbers < std::numeric_limits<float>::infinity()))) {
        for (uint k = 0; k < lanes; ++k)
          if (has[k])
            finish_.grain(place(k, s), f_.grains[place(k, s)]);
      } else {
        fastest2_ = max(fastest2_, has ? speed2 : floats{});
      }
    }
  }

  void move() {
    gather();
    int most = 0;
    for (uint k = 0; k < lanes; ++k)
      most = std::max(most, spheres_[k]);
    Motions m = load_motions();
    advance(m, most);
    store_motions(m);
    place_spheres(m, most);
    there_ = 0;
  }
};

}  // namespace

TALUS_FLATTEN void clump_move(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f, false);
  Clumps clumps(args, f, finish);
  for (uint i = begin; i < std::min(end, args.grains); ++i)
    if (sphere_of(f.grain_tag[i]) == 1 && moves(f.grains[i]))
      clumps.add(i);
  clumps.flush();
  finish.flush();
}

}  // namespace talus::TALUS_CPU
#endif
