// Explicit dynamics, a pack at a time.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// Shares of each contact: of the greatest stiffness (dem_share), and of the change of velocity, which goes by mass.
struct Shares {
  floats stiffness = all(1.0f), own = all(1.0f);
};

// Once, not in every clone.
[[gnu::noinline]] void touch_body(const Args& args, Fields& f, uint i, std::size_t slot, DemChange& change) {
  reference::respond_in(args, f, i, slot, change);
}

// Are linear contacts of two grains such that most of the law is not needed?
bool plain(const Settings& settings) {
  return settings.contacts.reach == 0.0f && !settings.contacts.restitution && !settings.solver.material_stiffness &&
         settings.contacts.memory && settings.domain.axis.x != axis_periodic &&
         settings.domain.axis.y != axis_periodic && settings.domain.axis.z != axis_periodic;
}

// What Finish wants to know, lane by lane.
struct Ends {
  floats fastest2{};  // m2/s2
  ints fast{};

  void report(Finish& finish) const {
    for (uint k = 0; k < lanes; ++k)
      finish.count(lane(fastest2, k), static_cast<uint>(lane(fast, k)));
  }
};

// The law of all contacts of a scene: the springs of dem.h without what `plain` leaves out, these springs, or Hertz's.
enum class Kind { plain, linear, hertz };

// rotation: SolverSettings.rotation; where contacts are not plain, rotation_rolling stands for rotation_free, too.
template <Kind kind, uint rotation> class Contacts : public Pack {
  static constexpr bool plain = kind == Kind::plain, hertz = kind == Kind::hertz;

public:
  Contacts(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), memory_(plain || settings.contacts.memory),
        rolls_(settings.solver.rotation == rotation_rolling), sleeps_(settings.sleep.window > 0),
        asleep_(sleeps_ ? asleep_of(f, grains.inverse_mass, first) : ints{}) {
    TALUS_ASSERT(!memory_ || (settings.contacts.state_words == words() && settings.contacts.shear == 0),
                 settings.contacts.state_words, settings.contacts.shear);
    if constexpr (rotates)
      spin_ = spins();
  }

  void touch_grains() {
    const auto touch = [&](const Row& row, const Contact& c) {
      Shares shares{all(1.0f), all(0.5f)};
      if (any((grains.inverse_mass != row.grains.inverse_mass) | (grains.radius != row.grains.radius)))
        shares = shares_of(row.grains);
      const ints kept = sleeps_ ? meets_rest(row, c) : ints{};
      respond(c, shares, laws(row), row.mask, kept, false, row.state, [&] { return turn_of(row, c, spin_); });
    };
    // To find contacts ahead takes .92 of the time with eight lanes and 1.13 with sixteen, which have twice the work in
    // a row (AMD EPYC with AVX-512, box_settle at rest). p2 and pbd take .93 by it with sixteen.
    each_row<lanes != 16>(touch, !plain, true);
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
    const ints acted_on = sleeps_ ? acted_on_of() : ~ints{};
    vecs moved = grains.velocity + (change_ + all(h_ * settings.domain.gravity));
    vecs v = select((grains.inverse_mass > 0.0f) & acted_on, moved, grains.velocity);
    if (sleeps_)
      v = select(touched_ & ~asleep_, slowed(v, settings.sleep.drag, settings.sleep.slow), v);
    vecs way = all(h_) * v;
    if (sleeps_) {  // activity_settle decides whether that moves a sleeper
      way = select(asleep_, vecs{}, way);
      spin_change_ = select(acted_on, spin_change_, vecs{});
    }
    Grains after{grains.position + way, grains.radius, v, grains.inverse_mass};
    store_grains(&f.grains_next[first], there, after);
    if constexpr (rotates)
      store_spins(&f.grain_spin_next[first], there, {spin_.xyz + spin_change_, spin_.w});
    const floats speed2 = dot(v, v), radius = after.radius;
    const floats numbers = speed2 + abs(after.position.x) + abs(after.position.y) + abs(after.position.z);
    const ints alive = lane_numbers < static_cast<int>(there);
    if (!plain || settings.cloth.vertices > 0 || any(alive & ~(numbers < std::numeric_limits<float>::infinity()))) {
      for (uint k = 0; k < there; ++k)
        finish.grain(first + k, f.grains_next[first + k]);
      return;
    }
    ends.fastest2 = max(ends.fastest2, alive ? speed2 : floats{});
    ends.fast -= alive & (4.0f * (h_ * h_ * speed2) > radius * radius);
  }

private:
  float h_;  // s
  bool memory_, rolls_, sleeps_;
  std::size_t next_state_ = this->ahead(0) * words();  // components from a row to that of the next slice
  ints asleep_;                                        // grains that sleep
  ints stirred_{};                                     // .. and have a body, or a grain that moves, in their list
  ints touched_{};                                     // grains of which a contact touches
  vecs change_;                                        // m/s, of the velocities by all contacts so far
  vecs4 spin_;                                         // grain_spin, where grains rotate
  vecs spin_change_;                                   // m/s, by all contacts so far

  static constexpr bool rotates = rotation != rotation_off;
  bool rolls() const { return rotation == rotation_rolling && (plain || rolls_); }
  bool rebounds() const { return kind == Kind::linear && settings.contacts.restitution; }
  uint words() const { return rolls() ? 6 : 3; }

  // dem keeps nothing else of a contact, so that for plain ones this is known when it is compiled.
  std::size_t shear_at(std::size_t slot) const { return first_component(slot, words()); }

  // Grains that are not alike.
  Shares shares_of(const Grains& o) const {
    const floats w = grains.inverse_mass;
    return {dem_share(w, grains.radius, o.inverse_mass, o.radius), w / (w + o.inverse_mass)};
  }

  static ints is_zero(const vecs& v) { return (v.x == 0.0f) & (v.y == 0.0f) & (v.z == 0.0f); }
  static ints rests(const vecs& velocity, floats inverse_mass) { return (inverse_mass > 0.0f) & is_zero(velocity); }

  static ints asleep_of(const Fields& f, floats inverse_mass, uint first) {
    const uint state = f.slice_activity[first / slice_grains].state >> first % slice_grains;
    return (inverse_mass > 0.0f) & ((static_cast<int>(state) & (1 << lane_numbers)) != 0);
  }

  // Sleepers beside grains that are awake are watched. Which grains are sleepers that meet one at rest?
  ints meets_rest(const Row& row, const Contact& c) {
    for (uint those = bits_of(row.mask & ~asleep_ & rests(c.velocity, c.inverse_mass)); those; those &= those - 1)
      reference::watch(f, row.place(static_cast<uint>(std::countr_zero(those))));
    const ints still = is_zero(c.velocity);
    stirred_ |= row.mask & asleep_ & ~still;
    return asleep_ & still;
  }

  // On which grains do contacts and gravity act? On sleepers that are stirred or unsettled, and on all that are awake.
  ints acted_on_of() {
    uint& unsettled = f.slice_activity[first / slice_grains].unsettled;
    unsettled |= bits_of(stirred_) << first % slice_grains;
    const uint acted_on = unsettled >> first % slice_grains;
    return ~asleep_ | ((static_cast<int>(acted_on) & (1 << lane_numbers)) != 0);
  }

  void touch_walls(ints wall, ints mask, std::size_t slot) {
    vecs normal{};
    floats gap{};
    const auto along = [&](int a, floats x, floats& n) {
      const ints low = wall == 2 * a, high = wall == 2 * a + 1;
      n = low ? all(1.0f) : high ? all(-1.0f) : floats{};
      gap = low ? x - settings.domain.min[a] : high ? settings.domain.max[a] - x : gap;
    };
    along(0, grains.position.x, normal.x);
    along(1, grains.position.y, normal.y);
    along(2, grains.position.z, normal.z);
    Contact c = contact_of_wall(normal, gap, grains.radius);
    respond(c, {}, laws_of([&](uint) { return settings.contacts.materials; }), mask, asleep_, true, shear_at(slot),
            [&] { return turn_of_plane(c, spin_.xyz, spin_.w, grains.inverse_mass, grains.radius, zero3()); });
  }

  // One after the other: bodies have shapes of their own.
  void touch_bodies(ints mask, std::size_t slot) {
    for (uint k = 0; k < lanes && any(mask); ++k) {
      if (!lane(mask, k))
        continue;
      DemChange change{lane(change_, k), lane(spin_change_, k)};
      touch_body(args, f, first + k, slot + k, change);
      const ints here = lane_numbers == static_cast<int>(k);
      touched_ = change.touched ? touched_ | here : touched_;
      stirred_ = change.stirred ? stirred_ | here : stirred_;
      set_lane(change_, k, change.velocity);
      set_lane(spin_change_, k, change.spin);
    }
  }

  DemSpring spring_of(const Contact& c, floats share, const Law& law, bool grains_both) const {
    const floats w_sum = grains.inverse_mass + c.inverse_mass;
    if constexpr (hertz)
      return hertz_spring(c, grains.radius, w_sum, share, law, grains_both, h_);
    return dem_spring(share, w_sum, law, h_, !plain && settings.solver.material_stiffness, rebounds());
  }

  // kept: contacts whose springs stay as they are. turn(): what the contact needs of spins, where grains rotate.
  template <class FindTurn>
  void respond(const Contact& c, const Shares& shares, const Law& law, ints within, ints kept, bool last,
               std::size_t shear_at, FindTurn turn) {
    DemSpring spring = spring_of(c, shares.stiffness, law, !last);
    DemContact d = dem_contact(c, spring, law, grains.velocity, grains.inverse_mass, grains.radius, change_,
                               all(h_ * settings.domain.gravity), last,
                               kind == Kind::linear && settings.contacts.reach > 0.0f, rebounds(), h_);
    const ints touches = within & d.touches;
    const std::size_t roll_at = shear_at + 3 * slice_grains;
    if (memory_)
      this->ask_ahead(f.contact_state, shear_at + next_state_, words());
    vecs before = memory_ ? load_vecs(f.contact_state, shear_at) : vecs{};
    vecs rolled;
    if (rolls())
      rolled = memory_ ? load_vecs(f.contact_state, roll_at) : vecs{};
    const ints ended = within & ~kept, changed = touches & ~kept;
    if (!any(touches)) {
      if (memory_ && any(ended & differ(before, vecs{})))
        store_vecs(f.contact_state, shear_at, select(ended, vecs{}, before));
      if (rolls() && memory_ && any(ended & differ(rolled, vecs{})))
        store_vecs(f.contact_state, roll_at, select(ended, vecs{}, rolled));
      return;
    }
    touched_ |= touches;
    vecs shear = hertz ? hertz_unloaded(c, d.approach, h_, before) : before, response;
    if constexpr (rotates) {
      vecs roll = hertz && rolls() ? hertz_unloaded(c, d.approach, h_, rolled) : rolled;
      DemTurn t = dem_turn(d, c, turn(), spring, law, all(1.0f), rolls(), rebounds(), h_, shear, roll);
      response = t.response;
      spin_change_ = select(touches, spin_change_ + (shares.own * spin_.w) * t.couple, spin_change_);
      if (rolls() && memory_)
        store_vecs(f.contact_state, roll_at, select(changed, roll, select(ended, vecs{}, rolled)));
    } else {
      response = dem_respond(d, c, spring, law, all(1.0f), rebounds(), h_, shear);
    }
    change_ = select(touches, change_ + shares.own * response, change_);
    if (memory_)
      store_vecs(f.contact_state, shear_at, select(changed, shear, select(ended, vecs{}, before)));
  }
};

// This is inlined into dem_hertz and dem_linear. general: the law of contacts that are not plain.
template <Kind general, uint rotation> void dem_as(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f);
  Ends ends;
  const auto advance = [&](auto springs) {
    springs.touch_grains();
    springs.touch_others();
    springs.end(ends, finish);
  };
  constexpr uint any_rotation = rotation == rotation_off ? rotation_off : rotation_rolling;
  const bool simple = general == Kind::linear && plain(f.settings[0]);
  uint world = no_grain;
  each_listed(args, f, begin, end, [&](uint from, uint to) {
    for (uint first = from; first < to; first += lanes) {
      if (const uint next = world_of(f, first); next != world) {
        if (world != no_grain)
          ends.report(finish);
        ends = {};
        world = next;
      }
      finish.enter(first);
      if constexpr (general == Kind::linear)
        if (simple) {
          advance(Contacts<Kind::plain, rotation>(args, f, first));
          continue;
        }
      advance(Contacts<general, any_rotation>(args, f, first));
    }
  });
  if (world == no_grain)  // no slice was listed
    return;
  ends.report(finish);
  finish.flush();
}

// Functions of their own: in one, linear contacts take 3 % more instructions (GCC 12).
TALUS_FLATTEN void dem_hertz(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].solver.rotation == rotation_off)
    return dem_as<Kind::hertz, rotation_off>(args, f, begin, end);
  return dem_as<Kind::hertz, rotation_rolling>(args, f, begin, end);
}

TALUS_FLATTEN void dem_linear(const Args& args, Fields& f, uint begin, uint end) {
  switch (f.settings[0].solver.rotation) {
  case rotation_off:
    return dem_as<Kind::linear, rotation_off>(args, f, begin, end);
  case rotation_free:
    return dem_as<Kind::linear, rotation_free>(args, f, begin, end);
  default:
    return dem_as<Kind::linear, rotation_rolling>(args, f, begin, end);
  }
}

}  // namespace

void dem(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].solver.hertz)
    dem_hertz(args, f, begin, end);
  else
    dem_linear(args, f, begin, end);
}

}  // namespace talus::TALUS_CPU
#endif
