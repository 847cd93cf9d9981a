// Parallel Particles, a pack at a time: operation by operation what the reference does.
#include "engine/cpu/displacements.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// Once, not in every clone.
[[gnu::noinline]] void touch_other(P2Solver& solver, uint i, std::size_t slot, P2Solver::Mean& mean) {
  solver.touch(i, slot, mean);
}
[[gnu::noinline]] void remember_other(const Args& args, Fields& f, uint i, std::size_t slot) {
  p2_remember_contact(args, f, i, slot);
}
[[gnu::noinline]] Relaxation relaxation_of(const PairLaw& law, float w, float h, float n) {
  return relaxation(law, w, h, n);
}

// Shares of overlap and approach for a row of contacts. Most of them have one law and one mass, and that of the row
// before.
class Relaxations {
public:
  explicit Relaxations(const Args& args) : h_(args.h), iterations_(static_cast<float>(args.iterations)) {}

  // mask: at least one lane.
  void find(ints mask, const Law& law, floats w) {
    const auto some = static_cast<uint>(std::countr_zero(bits_of(mask)));
    set_law(law, some);
    const Relaxation first = find(w[some]);
    overlap = all(first.overlap);
    approach = all(first.approach);
    if (!any(mask & ((law.stiffness != law_.stiffness) | (law.damping != law_.damping) | (w != w[some]))))
      return;
    for (uint k = some; k < lanes; ++k) {
      if (!mask[k])
        continue;
      set_law(law, k);
      const Relaxation relax = find(w[k]);
      overlap[k] = relax.overlap;
      approach[k] = relax.approach;
    }
  }

  floats overlap, approach;

private:
  float h_, iterations_, w_ = -1.0f;
  PairLaw law_{};
  Relaxation known_{};

  void set_law(const Law& law, uint k) {
    if (law_.stiffness != law.stiffness[k] || law_.damping != law.damping[k])
      w_ = -1.0f;
    law_.stiffness = law.stiffness[k];
    law_.damping = law.damping[k];
  }
  Relaxation find(float w) {
    if (w != w_)
      known_ = relaxation_of(law_, w, h_, iterations_);
    w_ = w;
    return known_;
  }
};

vecs turned(const vecs& v, const vecs& normal) {
  const vecs t = v - dot(v, normal) * normal;
  const floats length = sqrt(dot(t, t));
  return select(length > 0.0f, (sqrt(dot(v, v)) / length) * t, {});
}

class P2 : public Displacements {
public:
  using Displacements::Displacements;

  void solve(P2Solver& solver, Relaxations& relax) {
    each_row([&](const Row& row, const Contact& c) { solve(row, c, relax); });
    P2Solver::Mean means[lanes];
    touch_others(means, [&](uint i, std::size_t slot, P2Solver::Mean& mean) {
      if (args.iteration == 0)
        put(f.contact_sum, slot, vec4(0.0f, 0.0f, 0.0f, not_active));
      touch_other(solver, i, slot, mean);
    });
    move(1.0f, means);
  }

  void remember() {
    each_row([&](const Row& row, const Contact& c) { remember(row, c); });
    each_other([&](uint k, std::size_t slot) { remember_other(args, f, first + k, slot); });
  }

private:
  // As P2Solver::part.
  floats part(const Contact& c) const {
    const floats lean = settings.error_reduction * dot(c.normal, all(settings.down));
    const floats own = grains.inverse_mass * (1.0f - lean), other = c.inverse_mass * (1.0f + lean);
    return c.inverse_mass > 0.0f ? own / (own + other) : all(1.0f);
  }

  // As P2Solver::touch.
  void solve(const Row& row, const Contact& c, Relaxations& relax) {
    const floats w_sum = grains.inverse_mass + c.inverse_mass;
    const vecs4 kept = load_vecs4(f.contact_sum, row.slot);
    const vecs4 before = args.iteration == 0 ? select(row.mask, vecs4{{}, all(not_active)}, kept) : kept;
    const Law law = laws(row);
    const floats hold = adhesion_budget(law, c);
    const ints idle = before.w < 0.0f, apart = (c.gap > 0.0f) & (hold <= 0.0f);
    const ints active = row.mask & (w_sum > 0.0f) & ~(idle & apart);
    if (!any(active)) {
      if (args.iteration == 0)
        store_vecs4(f.contact_sum, row.slot, before);
      return;
    }
    const floats pressed = idle ? floats{} : before.w;
    const floats w_parts = split_ ? shared_w(row, c.inverse_mass) : w_sum;
    Shares shares{w_sum / w_parts, w_sum / w_parts};
    if (by_weight_) {
      const ints closes = args.iteration > 0 ? ~(pressed > 0.0f) : ints{};
      shares = shares_by_weight(row, c.inverse_mass, contact_weight(c, pressed + max(-c.gap, floats{}) + hold), closes,
                                weight_over_p2);
    }
    relax.find(active, law, w_parts);

    const vecs way = way_of(c);
    const floats approach = dot(way, c.normal);
    const floats normal = max(floats{}, pressed - shares.normal * (relax.overlap * c.gap + relax.approach * approach));
    const floats pushed = normal - pressed, held = dot(before.xyz, c.normal);
    vecs slip = way - approach * c.normal;
    if (settings.options & option_memory)
      slip = slip + turned(load_vecs(f.contact_shear, row.slot), c.normal);
    const vecs friction = on_cone(before.xyz - held * c.normal + shares.tangential * slip,
                                  law.friction_static * normal + hold, law.friction_kinetic * normal + hold);
    const floats adhesion = hold > 0.0f ? min(max(held + pushed + shares.normal * approach, floats{}), hold) : floats{};
    const vecs drag = friction + adhesion * c.normal;
    store_vecs4(f.contact_sum, row.slot, select(active, vecs4{drag, normal}, before));

    const vecs change = pushed * c.normal - (drag - before.xyz);
    add(active, all(1.0f), part(c) * change);
    if (by_weight_)
      weights_next_ += active & (normal > 0.0f) ? contact_weight(c, normal + hold) : floats{};
  }

  // As p2_remember_contact.
  void remember(const Row& row, const Contact& c) {
    const floats normal = load_vecs4(f.contact_sum, row.slot).w;
    const vecs before = load_vecs(f.contact_shear, row.slot);
    const ints presses = row.mask & (normal > 0.0f);
    vecs after;
    if (any(presses)) {
      const Law law = laws(row);
      const vecs way = way_of(c);
      after = select(presses,
                     on_cone(turned(before, c.normal) + way - dot(way, c.normal) * c.normal,
                             law.friction_static * normal, law.friction_kinetic * normal),
                     {});
    }
    store_vecs(f.contact_shear, row.slot, select(row.mask, after, before));
  }
};

}  // namespace

TALUS_CLONES void p2_solve(const Args& args, Fields& f, uint begin, uint end) {
  P2Solver solver(args, f);
  Relaxations relax(args);
  for (uint first = begin; first < end; first += lanes)
    P2(args, f, first).solve(solver, relax);
}

TALUS_CLONES void p2_remember(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    P2(args, f, first).remember();
}

}  // namespace talus::TALUS_CPU
#endif
