#pragma once
// What p2 and pbd have in common, a pack at a time: as reference/relative.h.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

class Displacements : public Pack {
public:
  Displacements(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), split_(settings.iteration == iteration_mass_splitting),
        plain_(settings.options & option_plain_mean) {
    if (split_)
      own_parts_ = parts([&](uint k) { return first + std::min(k, there - 1); });
  }

protected:
  float h_;  // s
  bool split_, plain_;
  vecs correction_;
  floats weights_{};

  // Of the grains relative to their partners since the start of the substep.
  vecs way_of(const Contacts& c) const { return all(h_) * (grains.velocity - c.velocity); }

  // w of both sides together, where they share their masses.
  floats shared_w(const Row& row, floats other_w) const {
    return grains.inverse_mass * own_parts_ + other_w * parts([&](uint k) { return row.places[k]; });
  }

  floats mean_weight(const Contacts& c) const {
    if (split_ || plain_)
      return all(1.0f);
    return 1.0f / (grains.inverse_mass + (c.inverse_mass > 0.0f ? c.inverse_mass : grains.inverse_mass));
  }

  void add(ints mask, floats weight, const vecs& change) {
    correction_ = select(mask, correction_ + change, correction_);
    weights_ = mask ? weights_ + weight : weights_;
  }

  // What is no grain, one after the other, by the reference. touch(i, slot, mean): adds to a mean as there.
  template <class Mean, class Touch> void touch_others(Mean (&means)[lanes], Touch touch) {
    each_other([&](uint k, std::size_t slot) {
      Mean& mean = means[k];
      mean.correction = lane(correction_, k);
      mean.weights = weights_[k];
      touch(first + k, slot, mean);
      set_lane(correction_, k, mean.correction);
      weights_[k] = mean.weights;
    });
  }

  // sor: of the mean of what was added. Bodies get their part of it.
  template <class Mean> void move(float sor, const Mean (&means)[lanes]) {
    floats scale = all(sor);
    if (!split_)
      scale = weights_ > 0.0f ? sor / weights_ : scale;
    for (uint k = 0; k < there; ++k)
      means[k].pushes.add(f, first + k, scale[k] / h_);
    const vecs way = scale * correction_;
    const ints moves = (grains.inverse_mass > 0.0f) & (weights_ > 0.0f);
    Grains after = grains;
    after.position = select(moves, grains.position + way, grains.position);
    after.velocity = select(moves, grains.velocity + way / all(h_), grains.velocity);
    store_grains(&f.grains_next[first], there, after);
  }

private:
  floats own_parts_{};

  template <class Place> floats parts(Place place) const {
    ints loads;
    for (uint k = 0; k < lanes; ++k)
      loads[k] = static_cast<int>(std::max(f.contact_load[place(k)], 1u));
    return __builtin_convertvector(loads, floats);
  }
};

}  // namespace talus::TALUS_CPU
#endif
