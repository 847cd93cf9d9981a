// Velocity time stepping and sequential positions, a pack at a time. Bodies and walls one after the other, by the
// reference.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;
using Method = ImpulseMethod;

// Once, not in every clone.
[[gnu::noinline]] vec3 restore_other(const Args& args, Fields& f, uint i, std::size_t slot, uint& load) {
  return restore_contact(args, f, i, slot, load);
}
[[gnu::noinline]] vec3 iterate_other(const Args& args, Fields& f, uint i, std::size_t slot, Method method) {
  return iterate_contact(args, f, i, slot, method);
}

template <Method method> class Impulses : public Pack {
public:
  Impulses(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), memory_(settings.contacts.memory),
        momentum_(settings.solver.iteration == iteration_improved_jacobi) {}

  void restore() {
    each_row([&](const Row& row, const Contact& c) { restore(row, c); });
    each_other([&](uint k, std::size_t slot) {
      uint load = 0;
      set_lane(push_, k, lane(push_, k) + restore_other(args, f, first + k, slot, load));
      load_[k] += static_cast<int>(load);
    });
    const ints load = load_ < 1 ? ints{} + 1 : load_;
    const bool parallel = settings.solver.iteration != iteration_gauss_seidel;
    for (uint k = 0; parallel && k < there; ++k)
      f.contact_load[first + k] = static_cast<uint>(load[k]);
    Grains after = grains;
    const vecs moved = grains.velocity + (grains.inverse_mass * push_ + all(h_ * settings.domain.gravity));
    after.velocity = select(grains.inverse_mass > 0.0f, moved, grains.velocity);
    if (method == Method::sp)
      after.position = grains.position + all(h_) * after.velocity;
    store_grains(&f.grains_next[first], there, after);
  }

  void iterate() {
    own_load_ = __builtin_convertvector(load<ints>(&f.contact_load[first]), floats);
    each_row([&](const Row& row, const Contact& c) { iterate(row, c); });
    each_other([&](uint k, std::size_t slot) {
      set_lane(push_, k, lane(push_, k) + iterate_other(args, f, first + k, slot, method));
    });
    Grains after = grains;
    const vecs change = grains.inverse_mass * push_;
    after.velocity = grains.velocity + change;
    if (method == Method::sp)
      after.position = grains.position + all(h_) * change;
    store_grains(&f.grains_next[first], there, after);
  }

private:
  float h_;  // s
  bool memory_, momentum_;
  vecs push_;  // N s, on the grains by all contacts so far
  ints load_{};
  floats own_load_;

  void add(ints mask, ints active, const vecs& push) { push_ = select(mask, push_ + select(active, push, {}), push_); }

  void restore(const Row& row, const Contact& c) {
    const vecs relative = grains.velocity - c.velocity;
    const floats radius = min(grains.radius, c.radius);
    const float fall = h_ * glm::length(settings.domain.gravity);
    load_ -= row.mask & impulse_near(c, relative, radius, fall, h_);
    const vecs4 kept = load_vecs4(f.contact_state, sum_at(row));
    const vecs4 before = settings.contacts.impulses ? kept : vecs4{};
    const ints was = row.mask & differ(before, {});
    const Law law = laws(row);
    floats friction = law.friction_static;
    vecs4 sum;
    vecs shear;
    if (any(was)) {
      vecs4 now = before;
      vecs slipped = memory_ ? load_vecs(f.contact_state, shear_at(row)) : vecs{};
      floats coefficient;
      impulse_warm_start(c, law, relative, grains.inverse_mass, impulse_adhesion_limit(law.adhesion, c.gap, radius, h_),
                         all(1.0f), settings.solver.warm_start, memory_, h_, now.xyz, now.w, slipped, coefficient);
      friction = was ? coefficient : friction;
      shear = select(was, slipped, {});
      sum = select(was, now, {});
      add(row.mask, was, now.w * c.normal + now.xyz);
    }
    store_vecs4(f.contact_state, sum_at(row), select(row.mask, sum, kept));
    if (memory_)
      store_vecs(f.contact_state, shear_at(row), select(row.mask, shear, load_vecs(f.contact_state, shear_at(row))));
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
  }

  // Impulse per residual.
  floats rate_of(const Row& row, bool split, float omega) const {
    ints loads;
    for (uint k = 0; k < lanes; ++k)
      loads[k] = static_cast<int>(f.contact_load.data()[row.places[k]]);  // beyond the end where there is no grain
    return impulse_rate(grains.inverse_mass, row.grains.inverse_mass, own_load_, __builtin_convertvector(loads, floats),
                        true, split, omega);
  }

  void iterate(const Row& row, const Contact& c) {
    const floats w_sum = grains.inverse_mass + c.inverse_mass;
    const ints active = row.mask & (w_sum > 0.0f);
    const vecs relative = grains.velocity - c.velocity;
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
    if (memory_)
      slip = slip + all(memory_share / h_) * load_vecs(f.contact_state, shear_at(row));

    const Law law = laws(row);
    floats friction_static = law.friction_static, friction_kinetic = law.friction_kinetic;
    const vecs4 before = load_vecs4(f.contact_state, sum_at(row));
    const vecs4 last = momentum_ ? load_vecs4(f.contact_state, change_at(row)) : vecs4{};
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
    impulse_iterate(c.normal, residual, slip, adhesion_limit, rate, all(1.0f), beta, friction_static, friction_kinetic,
                    last.xyz, last.w, now.xyz, now.w);
    const vecs4 change{now.xyz - before.xyz, now.w - before.w};
    store_vecs4(f.contact_state, sum_at(row), select(active, now, before));
    if (momentum_)
      store_vecs4(f.contact_state, change_at(row), select(active, change, last));
    add(row.mask, active, change.w * c.normal + change.xyz);
  }
};

template <Method method> void restore(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Impulses<method>(args, f, first).restore();
}
template <Method method> void iterate(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Impulses<method>(args, f, first).iterate();
}

}  // namespace

TALUS_CLONES void vts_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore<Method::vts>(args, f, begin, end);
}
TALUS_CLONES void vts_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::vts>(args, f, begin, end);
}
TALUS_CLONES void sp_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore<Method::sp>(args, f, begin, end);
}
TALUS_CLONES void sp_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::sp>(args, f, begin, end);
}

}  // namespace talus::TALUS_CPU
#endif
