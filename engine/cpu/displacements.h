#pragma once
// What p2 and pbd have in common, a pack at a time: as reference/relative.h.
#include "engine/cpu/pack.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

class Displacements : public Pack {
public:
  Displacements(const Args& args, Fields& f, uint first)
      : Pack(args, f, first), h_(args.h), split_(settings.iteration == iteration_mass_splitting),
        by_weight_(reference::by_weight(settings)), by_mean_(reference::by_mean(settings)) {
    const auto own = [&](uint k) { return first + std::min(k, there - 1); };
    if (split_ || by_weight_)
      own_weights_ = weights_at(own);
  }

protected:
  float h_;  // s
  bool split_, by_weight_, by_mean_;
  vecs correction_;
  floats weights_{}, weights_next_{};

  // Of the grains relative to their partners since the start of the substep.
  vecs way_of(const Contact& c) const { return all(h_) * (grains.velocity - c.velocity); }

  // As reference::adhesion_budget.
  floats adhesion_budget(const Law& law, const Contact& c) const {
    const ints adheres = law.adhesion > 0.0f;
    if (!any(adheres))
      return floats{};
    const floats reach = grains.radius + c.radius, least = min(grains.radius, c.radius);
    const vecs apart = (c.gap + grains.radius + c.radius) * c.normal - way_of(c);
    const floats gap = sqrt(dot(apart, apart)) - reach;
    const floats ratio = min(max(-gap / least, floats{}), all(1.0f)) - 1.0f;
    const floats area = pi * least * least * (1.0f - ratio * ratio);
    return adheres ? h_ * h_ * (grains.inverse_mass + c.inverse_mass) * law.adhesion * area : floats{};
  }

  // w of both sides together, where they split their masses.
  floats shared_w(const Row& row, floats other_w) const {
    return grains.inverse_mass * max(own_weights_, all(1.0f)) + other_w * max(other_weights(row), all(1.0f));
  }

  // As reference::contact_weight.
  floats contact_weight(const Contact& c, floats bears) const {
    const floats w = grains.inverse_mass;
    const floats carries =
        weight_carry * h_ * h_ * glm::length(settings.gravity) + weight_least * min(grains.radius, c.radius);
    return w + c.inverse_mass > 0.0f ? bears / (bears + carries) / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w))
                                     : floats{};
  }

  // As reference::shares_by_weight.
  struct Shares {
    floats normal, tangential;
  };
  Shares shares_by_weight(const Row& row, floats other_w, floats weight, ints closes, float over_normal) const {
    const floats w = grains.inverse_mass, uncounted = closes ? all(1.0f) : floats{};
    const floats own = own_weights_ / weight + uncounted, other = other_weights(row) / weight + uncounted;
    const auto share = [&](float over) {
      const floats whole = max(own / over, all(1.0f)), whole_other = max(other / over, all(1.0f));
      return weight > 0.0f ? (w + other_w) / (w * whole + other_w * whole_other) : floats{};
    };
    return {share(std::min(over_normal * settings.sor, weight_over_most)),
            share(std::min(settings.sor, weight_over_most))};
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
      mean.weights_next = weights_next_[k];
      touch(first + k, slot, mean);
      set_lane(correction_, k, mean.correction);
      weights_[k] = mean.weights;
      weights_next_[k] = mean.weights_next;
    });
  }

  // The sum of what was added, or sor times its mean. Bodies get their part of it.
  template <class Mean> void move(float sor, const Mean (&means)[lanes]) {
    floats scale = all(by_weight_ ? 1.0f : sor);
    if (by_mean_)
      scale = weights_ > 0.0f ? sor / weights_ : scale;
    for (uint k = 0; k < there; ++k)
      means[k].pushes.add(f, first + k, scale[k] / h_);
    const vecs way = scale * correction_;
    const ints moves = (grains.inverse_mass > 0.0f) & (weights_ > 0.0f);
    Grains after = grains;
    after.position = select(moves, grains.position + way, grains.position);
    after.velocity = select(moves, grains.velocity + way / all(h_), grains.velocity);
    store_grains(&f.grains_next[first], there, after);
    if (by_weight_)
      for (uint k = 0; k < there; ++k)
        f.contact_weights_next[first + k] = weights_next_[k];
  }

private:
  floats own_weights_{};

  template <class Place> floats weights_at(Place place) const {
    floats weights;
    for (uint k = 0; k < lanes; ++k)
      weights[k] = f.contact_weights[place(k)];
    return weights;
  }

  floats other_weights(const Row& row) const {
    return weights_at([&](uint k) { return row.places[k]; });
  }
};

}  // namespace talus::TALUS_CPU
#endif
