// Position-based dynamics, a pack at a time: operation by operation what the reference does.
#include "engine/cpu/displacements.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// Once, not in every clone.
[[gnu::noinline]] void touch_other(const Args& args, Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  pbd_touch(args, f, i, slot, mean);
}
[[gnu::noinline]] void part_other(const Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  pbd_part(f, i, slot, mean);
}

// rotates: do grains? Whether they resist rolling is known at run time alone: each variant takes a minute to compile.
template <bool rotates> class Pbd : public Displacements {
public:
  Pbd(const Args& args, Fields& f, uint first) : Displacements(args, f, first) {
    if constexpr (rotates)
      spin_ = spins();
  }

  void solve() {
    each_row([&](const Row& row, const Contact& c) { solve(row, c); });
    PbdMean means[lanes];
    touch_others<rotates>(means, [&](uint i, std::size_t slot, PbdMean& mean) {
      if (args.iteration == 0)
        put(f.contact_state, reference::sum_at(f, slot), vec4(0.0f));
      if (args.iteration == 0 && rolls_)
        put(f.contact_state, reference::roll_sum_at(f, slot), vec3(0.0f));
      touch_other(args, f, i, slot, mean);
    });
    move<rotates>(settings.solver.sor, means);
  }

  void stabilize() {
    each_row([&](const Row& row, const Contact& c) { part(row, c); });
    PbdMean means[lanes];
    touch_others<rotates>(means, [&](uint i, std::size_t slot, PbdMean& mean) { part_other(f, i, slot, mean); });
    const ints moves = weights_ > 0.0f;
    vecs correction = correction_ / weights_;
    Grains after = grains;
    after.position = select(moves, grains.position + correction, grains.position);
    store_grains(&f.grains_next[first], there, after);
    const floats shift = static_cast<float>(args.iterations) * sqrt(dot(correction, correction));
    for (uint k = 0; k < there; ++k)
      if (moves[k])
        atomic_max(f.worlds[world_of(f, first)].motion.shift_bits, std::bit_cast<uint>(static_cast<float>(shift[k])));
  }

private:
  // As pbd_touch.
  void solve(const Row& row, const Contact& c) {
    const bool after = settings.solver.friction == friction_after, last = args.iteration + 1 == args.iterations;
    const bool accumulated = settings.solver.friction == friction_accumulated;
    const floats w = grains.inverse_mass;
    vecs4 kept = load_vecs4(f.contact_state, sum_at(row)),
          before = args.iteration == 0 ? select(row.mask, vecs4{}, kept) : kept;
    const ints active = row.mask & pbd_touches(c, grains.radius, before.w, w, after && last);
    if (by_weight_)
      weights_next_ += (row.mask & ~active & (before.w > 0.0f)) ? weight_of(c, before.w) : floats{};
    if (!any(active)) {
      if (args.iteration == 0)
        store_vecs4(f.contact_state, sum_at(row), before);
      if (rotates && rolls_ && args.iteration == 0)
        store_vecs(f.contact_state, roll_sum_at(row), rolling_so_far(row));
      return;
    }
    const floats other_w = pbd_scaled(c, grains.radius, all(settings.domain.down), settings.solver.mass_scaling),
                 w_sum = w + other_w;
    Shares shares{all(1.0f), all(1.0f)};
    if (split_) {
      shares.normal = shares.tangential = w_sum / shared_w(row, other_w);
    } else if (by_weight_) {
      const ints closes = args.iteration > 0 ? ~(before.w > 0.0f) : ints{};
      shares = shares_of(row, other_w, weight_of(c, pbd_bears(c, before.w, after && last)), closes, weight_over_pbd);
    }
    vecs4 sum = before;
    const float gravity = glm::length(settings.domain.gravity);
    const Law& law = laws(row);
    Sliding s = sliding_of<rotates>(row, c);
    vecs change = pbd_iterate(c, shares, s.way, s.across, law, accumulated, after, last, h_, gravity, sum.xyz, sum.w);
    store_vecs4(f.contact_state, sum_at(row), select(active, sum, before));
    const floats part = w / w_sum;
    add(active, all(1.0f), part * change);
    if constexpr (rotates) {
      vecs rolling;
      if (rolls_) {
        const floats bound = pbd_bound(shares, sum.w, sum.w - before.w, accumulated, after, last, h_, gravity);
        rolling = resist(active, row, c, s.turn, shares.tangential, accumulated, {}, law.rolling * bound);
      }
      add_turn(active, part * turn_couple(c, s.turn, (accumulated ? before.xyz : vecs{}) - sum.xyz, rolling));
    }
    if (by_weight_)
      weights_next_ += (active & (sum.w > 0.0f)) ? weight_of(c, sum.w) : floats{};
  }

  // As pbd_part.
  void part(const Row& row, const Contact& c) {
    const floats w = grains.inverse_mass;
    const ints active = row.mask & (w > 0.0f) & (c.gap < 0.0f);
    floats weight;
    vecs apart = pbd_apart(c, w, settings.solver.plain_mean, weight);
    add(active, weight, apart);
  }
};

// Functions of their own, as of p2.
TALUS_FLATTEN void pbd_solve_still(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Pbd<false>(args, f, first).solve();
}
TALUS_FLATTEN void pbd_solve_rotating(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Pbd<true>(args, f, first).solve();
}

}  // namespace

void pbd_solve(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].solver.rotation == rotation_off)
    pbd_solve_still(args, f, begin, end);
  else
    pbd_solve_rotating(args, f, begin, end);
}

TALUS_FLATTEN void pbd_stabilize(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Pbd<false>(args, f, first).stabilize();
}

}  // namespace talus::TALUS_CPU
#endif
