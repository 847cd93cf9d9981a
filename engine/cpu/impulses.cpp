// Velocity time stepping and sequential positions, a pack at a time: operation by operation what the reference
// does. Bodies and walls one after the other, by the reference itself.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;
using Method = ImpulseMethod;

// Once, not in every clone.
[[gnu::noinline]] vec3 recall_other(const Args& args, Fields& f, uint i, std::size_t slot, uint& load) {
  return recall_contact(args, f, i, slot, load);
}
[[gnu::noinline]] vec3 iterate_other(const Args& args, Fields& f, uint i, std::size_t slot, Method method) {
  return iterate_contact(args, f, i, slot, method);
}

vecs turned(const vecs& t, const vecs& normal) {
  const vecs u = t - dot(t, normal) * normal;
  const floats before = dot(t, t), after = dot(u, u);
  return select(after > 0.0f, smaller(root(before / after), all(2.0f)) * u, {});
}

template <Method method> class Impulses : public Pack {
public:
  Impulses(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), memory_(settings.options & option_memory),
        momentum_(settings.iteration == iteration_improved_jacobi) {}

  void recall() {
    each_row([&](const Row& row, const Contacts& c) { recall(row, c); });
    each_other([&](uint k, std::size_t slot) {
      uint load = 0;
      set_lane(push_, k, lane(push_, k) + recall_other(args, f, first + k, slot, load));
      load_[k] += static_cast<int>(load);
    });
    const ints load = load_ < 1 ? ints{} + 1 : load_;
    const bool parallel = settings.iteration != iteration_gauss_seidel;
    for (uint k = 0; parallel && k < there; ++k)
      f.contact_load[first + k] = static_cast<uint>(load[k]);
    Grains after = grains;
    const vecs moved = grains.velocity + (grains.inverse_mass * push_ + all(h_ * settings.gravity));
    after.velocity = select(grains.inverse_mass > 0.0f, moved, grains.velocity);
    if (method == Method::sp)
      after.position = grains.position + all(h_) * after.velocity;
    store_grains(&f.grains_next[first], there, after);
  }

  void iterate() {
    own_load_ = __builtin_convertvector(load<ints>(&f.contact_load[first]), floats);
    each_row([&](const Row& row, const Contacts& c) { iterate(row, c); });
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

  floats hold_of(const Laws& law, const Contacts& c, floats radius) const {
    if (!any(law.adhesion != 0.0f))
      return floats{};
    const floats fade = smaller(larger(2.0f - c.gap / (adhesion_reach * radius), floats{}), all(1.0f));
    return law.adhesion == 0.0f ? floats{} : fade * h_ * law.adhesion * pi * radius * radius;
  }

  static ints slides(const Laws& law, const vecs& drag, const vecs& slip, floats grip, floats w_sum) {
    const floats length2 = dot(drag, drag), length = root(length2);
    const ints at_edge = (absolute(length - law.friction_kinetic * grip) <= 1e-4f * law.friction_kinetic * grip) |
                         (length >= (1.0f - 1e-4f) * law.friction_static * grip);
    return at_edge & ~(dot(drag, slip) > turned_back * w_sum * length2);
  }

  // As reference::recall_contact.
  void recall(const Row& row, const Contacts& c) {
    const vecs relative = grains.velocity - c.velocity;
    const floats radius = smaller(grains.radius, c.radius);
    const float fall = h_ * glm::length(settings.gravity);
    load_ -= row.mask & (c.gap < larger(h_ * (root(dot(relative, relative)) + fall), contact_near * radius));
    const vecs4 kept = load_vecs4(f.contact_sum, row.slot);
    const vecs4 before = settings.options & option_impulses ? kept : vecs4{};
    const ints was = row.mask & differ(before, {});
    const Laws law = laws(row);
    floats friction = law.friction_static;
    vecs4 sum;
    vecs shear;
    if (any(was)) {
      const floats hold = hold_of(law, c, radius), grip = before.w + hold;
      if (memory_) {
        const ints grips = was & (grip > grip_least * hold);
        const vecs slip = relative - dot(relative, c.normal) * c.normal;
        const floats w_sum = grains.inverse_mass + c.inverse_mass;
        friction = grips & slides(law, before.xyz, slip, grip, w_sum) ? law.friction_kinetic : friction;
        const floats limit = friction * grip * w_sum * h_ / memory_share;
        const vecs remembered = turned(load_vecs(f.contact_shear, row.slot), c.normal) + all(h_) * slip;
        shear = select(grips, on_cone(remembered, limit, limit), {});
      }
      const floats pressure = larger(settings.warm_start * before.w, -hold);
      const floats limit = friction * (pressure + hold);
      const vecs drag = on_cone(all(settings.warm_start) * turned(before.xyz, c.normal), limit, limit);
      sum = select(was, vecs4{drag, pressure}, {});
      add(row.mask, was, pressure * c.normal + drag);
    }
    store_vecs4(f.contact_sum, row.slot, select(row.mask, sum, kept));
    if (memory_)
      store_vecs(f.contact_shear, row.slot, select(row.mask, shear, load_vecs(f.contact_shear, row.slot)));
    if (const ints two = row.mask & (law.friction_static != law.friction_kinetic); memory_ && any(two)) {
      float* const at = &f.contact_friction[row.slot];
      store(at, two ? friction : load<floats>(at));
    }
    if (momentum_)
      store_vecs4(f.contact_change, row.slot, select(row.mask, vecs4{}, load_vecs4(f.contact_change, row.slot)));
  }

  // Impulse per residual.
  floats rate_of(const Row& row, floats w_sum) const {
    ints loads;
    for (uint k = 0; k < lanes; ++k)
      loads[k] = static_cast<int>(f.contact_load[row.places[k]]);
    const floats w = grains.inverse_mass, other_w = row.grains.inverse_mass;
    const floats w_shared = own_load_ * w + __builtin_convertvector(loads, floats) * other_w;
    if (settings.iteration == iteration_mass_splitting)
      return settings.omega / w_shared;
    const floats uneven = absolute(w - other_w) / w_sum;
    return (1.0f - uneven_share * uneven) * settings.omega / larger(w_sum, w_shared / load_most);
  }

  // As reference::iterate_contact.
  void iterate(const Row& row, const Contacts& c) {
    const floats w_sum = grains.inverse_mass + c.inverse_mass;
    const ints active = row.mask & (w_sum > 0.0f);
    const vecs relative = grains.velocity - c.velocity;
    const floats approach = dot(relative, c.normal);
    const floats residual = method == Method::sp
                                ? settings.kv * approach + settings.kc * c.gap / h_
                                : approach + (c.gap < 0.0f ? all(settings.gamma) : all(1.0f)) * c.gap / h_;
    vecs slip = relative - approach * c.normal;
    if (memory_)
      slip = slip + all(memory_share / h_) * load_vecs(f.contact_shear, row.slot);

    const Laws law = laws(row);
    floats friction_static = law.friction_static, friction_kinetic = law.friction_kinetic, beta = all(args.beta);
    const vecs4 before = load_vecs4(f.contact_sum, row.slot);
    const vecs4 last = momentum_ ? load_vecs4(f.contact_change, row.slot) : vecs4{};
    if (const ints two = friction_static != friction_kinetic; any(two)) {
      if (memory_) {
        const auto friction = load<floats>(&f.contact_friction[row.slot]);
        friction_static = two ? friction : friction_static;
        friction_kinetic = two ? friction : friction_kinetic;
      } else {
        beta = two & (residual * last.w + dot(slip, last.xyz) > 0.0f) ? floats{} : beta;
      }
    }
    const floats hold = hold_of(law, c, smaller(grains.radius, c.radius)), rate = rate_of(row, w_sum);
    const vecs4 start{before.xyz + beta * last.xyz, before.w + beta * last.w};
    const floats pressure = larger(start.w - rate * residual, -hold), grip = pressure + hold;
    const vecs drag = on_cone(start.xyz - dot(start.xyz, c.normal) * c.normal - rate * slip, friction_static * grip,
                              friction_kinetic * grip);
    const vecs4 change{drag - before.xyz, pressure - before.w};
    store_vecs4(f.contact_sum, row.slot, select(active, vecs4{drag, pressure}, before));
    if (momentum_)
      store_vecs4(f.contact_change, row.slot, select(active, change, last));
    add(row.mask, active, change.w * c.normal + change.xyz);
  }
};

template <Method method> void recall(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Impulses<method>(args, f, first).recall();
}
template <Method method> void iterate(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Impulses<method>(args, f, first).iterate();
}

}  // namespace

TALUS_CLONES void vts_recall(const Args& args, Fields& f, uint begin, uint end) {
  recall<Method::vts>(args, f, begin, end);
}
TALUS_CLONES void vts_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::vts>(args, f, begin, end);
}
TALUS_CLONES void sp_recall(const Args& args, Fields& f, uint begin, uint end) {
  recall<Method::sp>(args, f, begin, end);
}
TALUS_CLONES void sp_solve(const Args& args, Fields& f, uint begin, uint end) {
  iterate<Method::sp>(args, f, begin, end);
}

}  // namespace talus::TALUS_CPU
#endif
