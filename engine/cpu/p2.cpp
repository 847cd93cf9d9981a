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
[[gnu::noinline]] reference::Relaxation relaxation_of(const PairLaw& law, float w, float h, float n) {
  return relaxation(law, w, h, n);
}

// Shares of overlap and approach for a row of contacts. Most of them have one law and one mass, and that of the row
// before.
class Relaxations {
public:
  explicit Relaxations(const Args& args) : h_(args.h), iterations_(static_cast<float>(args.iterations)) {}

  // mask: at least one lane.
  Relaxation find(ints mask, const Law& law, floats w) {
    const auto some = static_cast<uint>(std::countr_zero(bits_of(mask)));
    set_law(law, some);
    const reference::Relaxation first = find(w[some]);
    Relaxation shares{all(first.overlap), all(first.approach)};
    if (!any(mask & ((law.stiffness != law_.stiffness) | (law.damping != law_.damping) | (w != w[some]))))
      return shares;
    for (uint k = some; k < lanes; ++k) {
      if (!mask[k])
        continue;
      set_law(law, k);
      const reference::Relaxation own = find(w[k]);
      shares.overlap[k] = own.overlap;
      shares.approach[k] = own.approach;
    }
    return shares;
  }

private:
  float h_, iterations_, w_ = -1.0f;
  PairLaw law_{};
  reference::Relaxation known_{};

  void set_law(const Law& law, uint k) {
    if (law_.stiffness != law.stiffness[k] || law_.damping != law.damping[k])
      w_ = -1.0f;
    law_.stiffness = law.stiffness[k];
    law_.damping = law.damping[k];
  }
  reference::Relaxation find(float w) {
    if (w != w_)
      known_ = relaxation_of(law_, w, h_, iterations_);
    w_ = w;
    return known_;
  }
};

// rotates: do grains? Whether they resist rolling is known at run time alone: each variant takes a minute to compile.
template <bool rotates> class P2 : public Displacements {
public:
  P2(const Args& args, Fields& f, uint first) : Displacements(args, f, first) {
    if constexpr (rotates)
      spin_ = spins();
  }

  void solve(P2Solver& solver, Relaxations& relax) {
    each_row([&](const Row& row, const Contact& c) { solve(row, c, relax); });
    P2Solver::Mean means[lanes];
    touch_others<rotates>(means, [&](uint i, std::size_t slot, P2Solver::Mean& mean) {
      if (args.iteration == 0)
        put(f.contact_state, reference::sum_at(f, slot), vec4(0.0f, 0.0f, 0.0f, not_active));
      if (args.iteration == 0 && rolls_)
        put(f.contact_state, reference::roll_sum_at(f, slot), vec3(0.0f));
      touch_other(solver, i, slot, mean);
    });
    move<rotates>(1.0f, means);
  }

  void remember() {
    each_row([&](const Row& row, const Contact& c) { remember(row, c); });
    each_other([&](uint k, std::size_t slot) { remember_other(args, f, first + k, slot); });
  }

private:
  // As P2Solver::touch.
  void solve(const Row& row, const Contact& c, Relaxations& relax) {
    const floats w = grains.inverse_mass, w_sum = w + c.inverse_mass;
    vecs4 kept = load_vecs4(f.contact_state, sum_at(row));
    vecs4 before = args.iteration == 0 ? select(row.mask, vecs4{{}, all(not_active)}, kept) : kept;
    const Law& law = laws(row);
    const floats adhesion_limit = adhesion_limit_of(law, c);
    const ints active = row.mask & p2_active(c, before.w, adhesion_limit, w_sum);
    if (!any(active)) {
      if (args.iteration == 0)
        store_vecs4(f.contact_state, sum_at(row), before);
      if (rotates && rolls_ && args.iteration == 0)
        store_vecs(f.contact_state, roll_sum_at(row), rolling_so_far(row));
      return;
    }
    vecs4 sum = before;
    sum.w = max(before.w, 0.0f);
    const floats w_parts = split_ ? shared_w(row, c.inverse_mass) : w_sum;
    Shares shares{w_sum / w_parts, w_sum / w_parts};
    if (by_weight_) {
      const ints closes = args.iteration > 0 ? ~(before.w > 0.0f) : ints{};
      shares =
          shares_of(row, c.inverse_mass, weight_of(c, contact_bears(c, sum.w, adhesion_limit)), closes, weight_over_p2);
    }
    const bool memory = settings.contacts.memory;
    vecs slipped = memory ? load_vecs(f.contact_state, shear_at(row)) : vecs{};
    Sliding s = sliding_of<rotates>(row, c);
    vecs change = p2_iterate(c, relax.find(active, law, w_parts), shares, s.way, memory, slipped, adhesion_limit,
                             s.across, law, sum.xyz, sum.w);
    store_vecs4(f.contact_state, sum_at(row), select(active, sum, before));
    const floats part = p2_part(c, w, all(settings.domain.down), settings.solver.error_reduction);
    add(active, all(1.0f), part * change);
    if constexpr (rotates) {
      vecs rolling;
      if (rolls_)
        rolling =
            resist(active, row, c, s.turn, shares.tangential, true,
                   memory ? load_vecs(f.contact_state, roll_at(row)) : vecs{}, law.rolling * (sum.w + adhesion_limit));
      add_turn(active, part * turn_couple(c, s.turn, before.xyz - sum.xyz, rolling));
    }
    if (by_weight_)
      weights_next_ += (active & (sum.w > 0.0f)) ? weight_of(c, sum.w + adhesion_limit) : floats{};
  }

  // As p2_remember_contact.
  void remember(const Row& row, const Contact& c) {
    const auto normal = load<floats>(&f.contact_state[normal_at(row)]);
    vecs before = load_vecs(f.contact_state, shear_at(row));
    const Law& law = laws(row);
    vecs after, roll;
    if (any(row.mask & ((normal > 0.0f) | (law.adhesion > 0.0f)))) {
      const floats adhesion_limit = adhesion_limit_of(law, c);
      Sliding s = sliding_of<rotates>(row, c);
      after = p2_slipped(c, before, s.way, normal, adhesion_limit, s.across, law);
      if (rotates && rolls_)
        roll = p2_rolled(s.turn, grains.inverse_mass + c.inverse_mass, load_vecs(f.contact_state, roll_at(row)), normal,
                         adhesion_limit, law, h_);
    }
    store_vecs(f.contact_state, shear_at(row), select(row.mask, after, before));
    if (rotates && rolls_)
      store_in(row.mask, f.contact_state, roll_at(row), roll);
  }
};

// Functions of their own: in one, the pass of grains that do not rotate takes a tenth more instructions (GCC 12).
TALUS_FLATTEN void p2_solve_still(const Args& args, Fields& f, uint begin, uint end) {
  P2Solver solver(args, f);
  Relaxations relax(args);
  for (uint first = begin; first < end; first += lanes)
    P2<false>(args, f, first).solve(solver, relax);
}
TALUS_FLATTEN void p2_solve_rotating(const Args& args, Fields& f, uint begin, uint end) {
  P2Solver solver(args, f);
  Relaxations relax(args);
  for (uint first = begin; first < end; first += lanes)
    P2<true>(args, f, first).solve(solver, relax);
}

}  // namespace

void p2_solve(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].solver.rotation == rotation_off)
    p2_solve_still(args, f, begin, end);
  else
    p2_solve_rotating(args, f, begin, end);
}

TALUS_FLATTEN void p2_remember(const Args& args, Fields& f, uint begin, uint end) {
  const bool rotates = f.settings[0].solver.rotation != rotation_off;
  for (uint first = begin; first < end; first += lanes)
    if (rotates)
      P2<true>(args, f, first).remember();
    else
      P2<false>(args, f, first).remember();
}

}  // namespace talus::TALUS_CPU
#endif
