// Velocity time stepping and sequential positions, a pack at a time. Bodies and walls one after the other, by the
// reference.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;
using Method = ImpulseMethod;

// Once, not in every clone.
[[gnu::noinline]] reference::Push restore_other(const Args& args, Fields& f, uint i, std::size_t slot, Method method,
                                                uint& load) {
  return restore_contact(args, f, i, slot, method, load);
}
[[gnu::noinline]] reference::Push iterate_other(const Args& args, Fields& f, uint i, std::size_t slot, Method method) {
  return iterate_contact(args, f, i, slot, method);
}

// rotates: do grains? Whether they resist rolling is known at run time alone: each variant takes a minute to compile.
template <Method method, bool rotates> class Impulses : public Pack {
public:
  Impulses(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), memory_(settings.contacts.memory),
        momentum_(settings.solver.iteration == iteration_improved_jacobi),
        rolls_(settings.solver.rotation == rotation_rolling) {
    if constexpr (rotates)
      spin_ = spins();
  }

  void restore() {
    each_row([&](const Row& row, const Contact& c) { restore(row, c); });
    each_other([&](uint k, std::size_t slot) {
      uint load = 0;
      add(k, restore_other(args, f, first + k, slot, method, load));
      set_lane(load_, k, lane(load_, k) + static_cast<int>(load));
    });
    const ints load = load_ < 1 ? ints{} + 1 : load_;
    const bool parallel = settings.solver.iteration != iteration_gauss_seidel;
    for (uint k = 0; parallel && k < there; ++k)
      f.contact_load[first + k] = static_cast<uint>(load[k]);
    Grains after = grains;
    vecs moved = grains.velocity + (grains.inverse_mass * push_ + all(h_ * settings.domain.gravity));
    after.velocity = select(grains.inverse_mass > 0.0f, moved, grains.velocity);
    if (method == Method::sp)
      after.position = grains.position + all(h_) * after.velocity;
    store_grains(&f.grains_next[first], there, after);
    store_turned();
  }

  void iterate() {
    own_load_ = __builtin_convertvector(load<ints>(&f.contact_load[first]), floats);
    each_row([&](const Row& row, const Contact& c) { iterate(row, c); });
    each_other([&](uint k, std::size_t slot) { add(k, iterate_other(args, f, first + k, slot, method)); });
    Grains after = grains;
    vecs change = grains.inverse_mass * push_;
    after.velocity = grains.velocity + change;
    if (method == Method::sp)
      after.position = grains.position + all(h_) * change;
    store_grains(&f.grains_next[first], there, after);
    store_turned();
  }

private:
  float h_;  // s
  bool memory_, momentum_, rolls_;
  vecs push_, couple_;  // N s, on the grains by all contacts so far
  vecs4 spin_;          // grain_spin, where grains rotate
  ints load_{};
  floats own_load_;

  static void add(vecs& sum, ints mask, ints active, const vecs& push) {
    sum = select(mask, sum + select(active, push, {}), sum);
  }
  void add(uint k, const reference::Push& push) {
    set_lane(push_, k, lane(push_, k) + push.impulse);
    if constexpr (rotates)
      set_lane(couple_, k, lane(couple_, k) + push.couple);
  }
  void store_turned() {
    if constexpr (rotates)
      store_spins(&f.grain_spin_next[first], there, {spin_.xyz + (grains.inverse_mass * spin_.w) * couple_, spin_.w});
  }
  void restore(const Row& row, const Contact& c) {
    vecs relative = grains.velocity - c.velocity;
    const floats radius = min(grains.radius, c.radius);
    const float fall = h_ * glm::length(settings.domain.gravity);
    load_ -= row.mask & impulse_near(c, relative, radius, fall, h_);
    vecs4 kept = load_vecs4(f.contact_state, sum_at(row));
    vecs4 before = settings.contacts.impulses ? kept : vecs4{};
    const ints was = row.mask & differ(before, {});
    const Law& law = laws(row);
    floats friction = law.friction_static;
    vecs4 sum;
    vecs shear, rolling, roll;
    if (any(was)) {
      vecs4 now = before;
      vecs slipped = memory_ ? load_vecs(f.contact_state, shear_at(row)) : vecs{};
      floats coefficient;
      const floats hold = impulse_adhesion_limit(law.adhesion, c.gap, radius, h_);
      const float warm = settings.solver.warm_start;
      if constexpr (!rotates) {
        impulse_warm_start(c, law, relative, grains.inverse_mass + c.inverse_mass, hold, all(1.0f), warm, memory_, h_,
                           now.xyz, now.w, slipped, coefficient);
      } else {
        Turn t = turn_of(row, c, spin_);
        const floats pressed = now.w;
        impulse_warm_start(c, law, relative + turn_slip(c, t), t.ease, hold, all(1.0f), warm, memory_, h_, now.xyz,
                           now.w, slipped, coefficient);
        vecs rolling_impulse;
        if (rolls_) {
          rolling_impulse = load_vecs(f.contact_state, roll_sum_at(row));
          vecs way = memory_ ? load_vecs(f.contact_state, roll_at(row)) : vecs{};
          impulse_warm_start_rolling(t, law, pressed + hold, hold, now.w, warm, rolling_memory_share(method), h_,
                                     rolling_impulse, way);
          rolling = select(was, rolling_impulse, {});
          roll = select(was, way, {});
        }
        add(couple_, row.mask, was, turn_couple(c, t, now.xyz, rolling_impulse));
      }
      friction = was ? coefficient : friction;
      shear = select(was, slipped, {});
      sum = select(was, now, {});
      add(push_, row.mask, was, now.w * c.normal + now.xyz);
    }
    store_vecs4(f.contact_state, sum_at(row), select(row.mask, sum, kept));
    if (memory_)
      store_in(row.mask, f.contact_state, shear_at(row), shear);
    if (const ints two = row.mask & (law.friction_static != law.friction_kinetic); memory_ && any(two)) {
      float* const at = &f.contact_state[friction_at(row)];
      store(at, two ? friction : load<floats>(at));
    }
    if (settings.contacts.restitution) {
      float* const at = &f.contact_state[rebound_at(row)];
      store(at, row.mask ? impulse_rebound(c, law, dot(relative, c.normal), fall, h_) : load<floats>(at));
    }
    if (momentum_)
      store_vecs4(f.contact_state, change_at(row),
                  select(row.mask, vecs4{}, load_vecs4(f.contact_state, change_at(row))));
    if (rotates && rolls_) {
      store_in(row.mask, f.contact_state, roll_sum_at(row), rolling);
      if (memory_)
        store_in(row.mask, f.contact_state, roll_at(row), roll);
      if (momentum_)
        store_in(row.mask, f.contact_state, roll_change_at(row), {});
    }
  }

  // Impulse per residual.
  floats rate_of(const Row& row, bool split, float omega) const {
    ints loads;
    for (uint k = 0; k < lanes; ++k)
      loads[k] = static_cast<int>(f.contact_load.data()[row.place(k)]);  // beyond the end where there is no grain
    return impulse_rate(grains.inverse_mass, row.grains.inverse_mass, own_load_, __builtin_convertvector(loads, floats),
                        true, split, omega);
  }

  void iterate(const Row& row, const Contact& c) {
    const floats w_sum = grains.inverse_mass + c.inverse_mass;
    const ints active = row.mask & (w_sum > 0.0f);
    vecs relative = grains.velocity - c.velocity;
    const floats approach = dot(relative, c.normal);
    floats residual = method == Method::sp ? sp_residual(approach, c.gap, settings.solver.kv, settings.solver.kc, h_)
                                           : vts_residual(approach, c.gap, settings.solver.gamma, h_);
    floats rate = rate_of(row, settings.solver.iteration == iteration_mass_splitting, settings.solver.omega),
           beta = all(args.beta);
    if (settings.contacts.restitution) {
      const auto rebound = load<floats>(&f.contact_state[rebound_at(row)]);
      residual = rebound_residual(residual, approach, rebound);
      rate = rebound_rate(rate, rate_of(row, true, 1.0f), rebound, args.iteration == 0);
      beta = rebound_beta(beta, rebound, args.iteration == 1);
    }
    vecs slip = relative - approach * c.normal;
    Turn t;
    if constexpr (rotates) {
      t = turn_of(row, c, spin_);
      slip = slip + turn_slip(c, t);
    }
    if (memory_)
      slip = slip + all(shared::memory_share / h_) * load_vecs(f.contact_state, shear_at(row));

    const Law& law = laws(row);
    floats friction_static = law.friction_static, friction_kinetic = law.friction_kinetic;
    vecs4 before = load_vecs4(f.contact_state, sum_at(row));
    vecs4 last = momentum_ ? load_vecs4(f.contact_state, change_at(row)) : vecs4{};
    if (const ints two = friction_static != friction_kinetic; any(two)) {
      if (memory_) {
        const auto friction = load<floats>(&f.contact_state[friction_at(row)]);
        friction_static = two ? friction : friction_static;
        friction_kinetic = two ? friction : friction_kinetic;
      } else {
        beta = impulse_beta(law, residual, slip, last.xyz, last.w, beta);
      }
    }
    const floats adhesion_limit = impulse_adhesion_limit(law.adhesion, c.gap, min(grains.radius, c.radius), h_);
    vecs4 now = before;
    floats across = all(1.0f);
    if constexpr (rotates)
      across = w_sum / t.ease;
    impulse_iterate(c.normal, residual, slip, adhesion_limit, rate, across, beta, friction_static, friction_kinetic,
                    last.xyz, last.w, now.xyz, now.w);
    const vecs4 change{now.xyz - before.xyz, now.w - before.w};
    store_vecs4(f.contact_state, sum_at(row), select(active, now, before));
    if (momentum_)
      store_vecs4(f.contact_state, change_at(row), select(active, change, last));
    add(push_, row.mask, active, change.w * c.normal + change.xyz);
    if constexpr (!rotates)
      return;
    vecs rolled;
    if (rolls_) {
      vecs rolling_before = load_vecs(f.contact_state, roll_sum_at(row)),
           last_rolling = momentum_ ? load_vecs(f.contact_state, roll_change_at(row)) : vecs{},
           roll = memory_ ? load_vecs(f.contact_state, roll_at(row)) : vecs{};
      vecs rolling = rolling_before;
      impulse_iterate_rolling(t, law, roll, now.w + adhesion_limit, rate, w_sum, rolling_relaxation(method),
                              rolling_memory_share(method), beta, h_, last_rolling, rolling);
      rolled = rolling - rolling_before;
      store_vecs(f.contact_state, roll_sum_at(row), select(active, rolling, rolling_before));
      if (momentum_)
        store_vecs(f.contact_state, roll_change_at(row), select(active, rolled, last_rolling));
    }
    add(couple_, row.mask, active, turn_couple(c, t, change.xyz, rolled));
  }
};

// Inlined into each clone of the passes.
template <Method method> void restore(const Args& args, Fields& f, uint begin, uint end) {
  const bool rotates = f.settings[0].solver.rotation != rotation_off;
  for (uint first = begin; first < end; first += lanes)
    if (rotates)
      Impulses<method, true>(args, f, first).restore();
    else
      Impulses<method, false>(args, f, first).restore();
}
template <Method method> void iterate(const Args& args, Fields& f, uint begin, uint end) {
  const bool rotates = f.settings[0].solver.rotation != rotation_off;
  for (uint first = begin; first < end; first += lanes)
    if (rotates)
      Impulses<method, true>(args, f, first).iterate();
    else
      Impulses<method, false>(args, f, first).iterate();
}

}  // namespace

TALUS_FLATTEN void vts_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore<Method::vts>(args, f, begin, end);
}
TALUS_FLATTEN void vts_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::vts>(args, f, begin, end);
}
TALUS_FLATTEN void sp_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore<Method::sp>(args, f, begin, end);
}
TALUS_FLATTEN void sp_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::sp>(args, f, begin, end);
}

}  // namespace talus::TALUS_CPU
#endif
