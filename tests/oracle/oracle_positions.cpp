// The oracle of the methods that correct predicted positions.
#include "oracle.h"
#include <numbers>

namespace talus_tests::oracle {
namespace {

// Friction that sticks up to `sticks` and slides with `slides`.
vec held(Edges& edges, vec pull, double sticks, double slides, double size) {
  const double length = glm::length(pull);
  return edges.less(sticks, length, size) ? pull * (slides / length) : pull;
}

vec laid(vec v, vec n) {
  const vec flat = across(v, n);
  return glm::length(flat) == 0.0 ? vec(0.0) : glm::normalize(flat) * glm::length(v);
}

}  // namespace

double weight(const Pair& pair, double bears, double gravity) {
  // Masses in series: a fixed partner counts like the grain.
  const double m = 1.0 / (pair.w > 0.0 ? pair.w : pair.other_w), other_m = pair.other_w > 0.0 ? 1.0 / pair.other_w : m;
  const double first = pair.w > 0.0 ? m : std::numeric_limits<double>::infinity();
  const double mass = 1.0 / (1.0 / first + 1.0 / other_m);
  const double half = 2.0 * gravity * pair.h * pair.h + pair.r_min / 10000.0;
  return mass * (1.0 - half / (bears + half));
}

Parts parts(const Pair& pair, double W, double sum, double other_sum, bool grains, Parts over) {
  if (W == 0.0)
    return {0.0, 0.0};
  const auto share = [&](double o) {
    const double part = std::min(1.0, o * W / sum), other_part = grains ? std::min(1.0, o * W / other_sum) : 1.0;
    // Two masses reduced to these parts of them, beside whole ones.
    return (pair.w + pair.other_w) / (pair.w / part + pair.other_w / other_part);
  };
  return {share(std::min(over.along, 1.8)), share(std::min(over.across, 1.8))};
}

double p2_adhesion_limit(Edges& edges, const Pair& pair, vec apart, double reach, double pressure, bool plane) {
  const vec before = apart - pair.h * pair.velocity;
  const double gap = (plane ? glm::dot(before, pair.normal) : glm::length(before)) - reach;
  if (pressure == 0.0 || !edges.less(gap, 0.0, reach))
    return 0.0;
  // The circle in which a plane cuts a sphere, this deep.
  const double left = std::max(pair.r_min + gap, 0.0), circle2 = pair.r_min * pair.r_min - left * left;
  return pressure * std::numbers::pi * circle2 / pair.mass() * pair.h * pair.h;
}

Taken p2_taken(const Pair& pair, Spring law, double n) {
  // Implicit Euler leaves 1 / (1 + q) of a residual k C + c v; each of n iterations leaves the n-th root of that.
  const double c = law.damping * pair.h / pair.mass(), k = law.stiffness * pair.h * pair.h / pair.mass(), q = k + c;
  const double leaves = std::pow(1.0 + q, -1.0 / n);
  return {k / q * (1.0 - leaves), c / q * (1.0 - leaves)};
}

Correction p2_iterate(Edges& edges, const Pair& pair, const Correction& now, Taken taken, Parts parts,
                      double adhesion_limit, Friction mu, const vec* slipped) {
  const double closing = pair.h * pair.normal_speed(), error = taken.overlap * pair.gap + taken.approach * closing;
  Correction next;
  next.pressure = std::max(now.pressure - parts.along * error, 0.0);
  const double pulled = glm::dot(now.friction_impulse, pair.normal), more = next.pressure - now.pressure;
  const vec slip = pair.h * pair.slip() + (slipped ? laid(*slipped, pair.normal) : vec(0.0));
  const vec free = across(now.friction_impulse, pair.normal) + parts.across * pair.ease * slip;
  const double friction_limit = next.pressure;
  next.friction_impulse =
      held(edges, free, mu.at_rest * friction_limit + adhesion_limit, mu.in_motion * friction_limit + adhesion_limit,
           glm::length(free) + friction_limit + adhesion_limit);
  next.friction_impulse += std::clamp(pulled + more + parts.along * closing, 0.0, adhesion_limit) * pair.normal;
  next.change = more * pair.normal + now.friction_impulse - next.friction_impulse;
  return next;
}

vec p2_slipped(Edges& edges, const Pair& pair, vec slipped, double pressure, double adhesion_limit, Friction mu) {
  const vec all = laid(slipped, pair.normal) + pair.h * pair.slip();
  return held(edges, pair.ease * all, mu.at_rest * pressure + adhesion_limit, mu.in_motion * pressure + adhesion_limit,
              glm::length(all) + pressure + adhesion_limit) /
         pair.ease;
}

double p2_part(double w, double other_w, double up, double error_reduction) {
  return 1.0 / (1.0 + other_w * (1.0 - error_reduction * up) / (w * (1.0 + error_reduction * up)));
}

Correction pbd_iterate(Edges& edges, const Pair& pair, const Correction& now, Parts parts, Friction mu, Bound bound,
                       double gravity) {
  const double more = pair.gap < 0.0 ? -parts.along * pair.gap : 0.0;
  const vec start = bound == Bound::sums ? now.friction_impulse : vec(0.0);
  Correction next;
  next.pressure = now.pressure + more;
  const double friction_limit = bound == Bound::sums        ? next.pressure
                                : bound == Bound::iteration ? more
                                : bound == Bound::weight    ? parts.across * gravity * pair.h * pair.h
                                                            : 0.0;
  const vec free = across(start, pair.normal) + parts.across * pair.ease * pair.h * pair.slip();
  next.friction_impulse =
      held(edges, free, mu.at_rest * friction_limit, mu.in_motion * friction_limit, glm::length(free) + friction_limit);
  next.change = more * pair.normal + start - next.friction_impulse;
  return next;
}

}  // namespace talus_tests::oracle
