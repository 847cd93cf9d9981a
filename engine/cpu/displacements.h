#pragma once
// What p2 and pbd have in common, a pack at a time: as reference/relative.h.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

class Displacements : public Pack {
public:
  Displacements(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), split_(settings.solver.iteration == iteration_mass_splitting),
        by_weight_(reference::by_weight(settings)), by_mean_(reference::by_mean(settings)) {
    const auto own = [&](uint k) { return first + std::min(k, there - 1); };
    if (split_ || by_weight_)
      own_weights_ = weights_at(own);
  }

protected:
  float h_;  // s
  bool split_, by_weight_, by_mean_, rolls_ = settings.solver.rotation == rotation_rolling;
  vecs correction_, turn_;
  vecs4 spin_;  // grain_spin; of classes for grains that rotate, which fill it
  floats weights_{}, weights_next_{};

  // Of the grains relative to their partners since the start of the substep.
  vecs way_of(const Contact& c) const { return all(h_) * (grains.velocity - c.velocity); }

  // As reference::Sliding, of a row of grains.
  struct Sliding {
    Turn turn;
    vecs way;
    floats across;
  };
  template <bool rotates> Sliding sliding_of(const Row& row, const Contact& c) const {
    Sliding s;
    s.way = way_of(c);
    s.across = all(1.0f);
    if constexpr (rotates) {
      s.turn = turn_of(row, c, spin_);
      s.way = s.way + all(h_) * turn_slip(c, s.turn);
      s.across = (grains.inverse_mass + c.inverse_mass) / s.turn.ease;
    }
    return s;
  }

  // Sums of what resists rolling, from iterations before this one.
  vecs rolling_so_far(const Row& row) const {
    vecs kept = load_vecs(f.contact_state, roll_sum_at(row));
    return args.iteration == 0 ? select(row.mask, vecs{}, kept) : kept;
  }
  // What resists rolling in this iteration, of contacts that are active. goes_on: the sums go on from those so far.
  vecs resist(ints active, const Row& row, const Contact& c, const Turn& t, floats share, bool goes_on,
              const vecs& roll, floats limit) {
    vecs before = rolling_so_far(row);
    vecs sum = goes_on ? before : vecs{};
    vecs change = resist_rolling(t, share, grains.inverse_mass + c.inverse_mass, roll, limit, h_, sum);
    store_vecs(f.contact_state, roll_sum_at(row), select(active, sum, before));
    return change;
  }

  // As reference::adhesion_limit_of.
  floats adhesion_limit_of(const Law& law, const Contact& c) const {
    return p2_adhesion_limit(c, grains.radius, way_of(c), law.adhesion, grains.inverse_mass + c.inverse_mass, false,
                             h_);
  }

  // w of both sides together, where they split their masses.
  floats shared_w(const Row& row, floats other_w) const {
    return w_of_parts(grains.inverse_mass, other_w, own_weights_, other_weights(row));
  }

  floats weight_of(const Contact& c, floats bears) const {
    return contact_weight(c, grains.inverse_mass, grains.radius, bears, h_, glm::length(settings.domain.gravity));
  }

  Shares shares_of(const Row& row, floats other_w, floats weight, ints closes, float over_normal) const {
    return shares_by_weight(grains.inverse_mass, other_w, own_weights_, other_weights(row), weight, closes, true,
                            over_normal, settings.solver.sor);
  }

  void add(ints mask, floats weight, const vecs& change) {
    correction_ = select(mask, correction_ + change, correction_);
    weights_ = mask ? weights_ + weight : weights_;
  }
  void add_turn(ints mask, const vecs& turn) { turn_ = select(mask, turn_ + turn, turn_); }

  // What is no grain, one after the other, by the reference. touch(i, slot, mean): adds to a mean as there.
  template <bool rotates, class Mean, class Touch> void touch_others(Mean (&means)[lanes], Touch touch) {
    each_other([&](uint k, std::size_t slot) {
      Mean& mean = means[k];
      mean.correction = lane(correction_, k);
      if constexpr (rotates)
        mean.turn = lane(turn_, k);
      mean.weights = lane(weights_, k);
      mean.weights_next = lane(weights_next_, k);
      touch(first + k, slot, mean);
      set_lane(correction_, k, mean.correction);
      if constexpr (rotates)
        set_lane(turn_, k, mean.turn);
      set_lane(weights_, k, mean.weights);
      set_lane(weights_next_, k, mean.weights_next);
    });
  }

  // The sum of what was added, or sor times its mean. Bodies get their part of it.
  template <bool rotates, class Mean> void move(float sor, const Mean (&means)[lanes]) {
    floats scale = all(by_weight_ ? 1.0f : sor);
    if (by_mean_)
      scale = weights_ > 0.0f ? sor / weights_ : scale;
    for (uint k = 0; k < there; ++k)
      means[k].pushes.add(f, first + k, scale[k] / h_);
    vecs way = scale * correction_;
    const ints moves = (grains.inverse_mass > 0.0f) & (weights_ > 0.0f);
    Grains after = grains;
    after.position = select(moves, grains.position + way, grains.position);
    after.velocity = select(moves, grains.velocity + way / all(h_), grains.velocity);
    store_grains(&f.grains_next[first], there, after);
    if constexpr (rotates) {
      vecs turned = spin_.xyz + (spin_.w / all(h_)) * select(moves, scale * turn_, {});
      store_spins(&f.grain_spin_next[first], there, {turned, spin_.w});
    }
    if (by_weight_)
      put_weights(args.iteration + 1, weights_next_);
  }

  void put_weights(uint iteration, floats weights) {
    float* const to = &f.contact_weights[reference::weights_at(args, first, iteration)];
    for (uint k = 0; k < there; ++k)
      to[k] = weights[k];
  }

private:
  floats own_weights_{};

  template <class Place> floats weights_at(Place place) const {
    const float* const from = f.contact_weights.data() + reference::weights_at(args, 0, args.iteration);
    floats weights;
    for (uint k = 0; k < lanes; ++k)
      weights[k] = from[place(k)];  // a lane without a grain may read beyond the end
    return weights;
  }

  floats other_weights(const Row& row) const {
    return weights_at([&](uint k) { return row.place(k); });
  }
};

}  // namespace talus::TALUS_CPU
#endif
