#include "engine/scene/restitution.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// A bed bears contacts, between grains that are alike, of kappa (1 + k_t) + 2 (D + c_t D_across) up to this: below 1
// even a crystal does not heat (shaders/shared/types.h).
constexpr double bears = 0.99;
constexpr int phases = 24;
constexpr double ratio_most = 16.0;

struct Spring {
  double kappa, damping;
};

double damping_of(double ratio, double kappa) {
  const double x = 2.0 * ratio * std::sqrt(kappa);
  return x / (1.0 + 0.5 * x);
}

// Bisects for where `above` begins to hold.
template <class Above> double bisect(double low, double high, Above above) {
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

double stiffest(double ratio) {
  return bisect(0.0, bears, [&](double kappa) {
    const double across = 2.0 * shared::dem_zeta * std::sqrt(kappa);
    return kappa * (1.0 + shared::dem_tangential) +
               2.0 * (damping_of(ratio, kappa) + shared::dem_tangential_damping * across) >
           bears;
  });
}

Spring spring_of(double ratio) {
  const double kappa = std::min<double>(shared::dem_kappa, stiffest(ratio));
  return {kappa, damping_of(ratio, kappa)};
}

// The speed after a substep (shaders/shared/laws/restitution.h). y: gap by substep.
double step(const Spring& s, double v, double y) {
  const double k = s.kappa;
  if (y >= 0.0)
    return -std::sqrt(v * v - k * (1.0 - 0.25 * k) * y * y) - 0.5 * k * y - s.damping * (v + y);
  if (v + (1.0 - k) * y < 0.0)
    return v + std::max(0.0, -k * y - s.damping * v);
  const double u = std::sqrt(v * v + k * y * y - k * v * y);
  return std::max(v, u + y / u * s.damping * v);
}

struct Collision {
  double rebound = 0.0, deepest = 0.0;
};

// At a speed of 1, the gap `y` from touching where a substep starts, less than the way in it.
Collision collide(const Spring& spring, double y) {
  Collision c;
  double v = -1.0;
  constexpr int substeps_most = 10'000;
  for (int k = 0; k < substeps_most && (v < 0.0 || y < 0.0); ++k) {
    v = step(spring, v, y);
    y += v;
    c.deepest = std::max(c.deepest, -y);
  }
  c.rebound = v;
  return c;
}

// The mean rebound over all phases, and the deepest overlap.
Collision mean_collision(const Spring& spring) {
  Collision mean;
  for (int k = 0; k < phases; ++k) {
    const Collision c = collide(spring, (k + 0.5) / phases);
    mean.rebound += c.rebound / phases;
    mean.deepest = std::max(mean.deepest, c.deepest);
  }
  return mean;
}

// visit(restitution): of all pairs that may touch; nothing: not given.
void each_pair(const Scene& scene, auto visit) {
  for (const Material& a : scene.materials) {
    visit(restitution_of(a, scene.domain));
    for (const Material& b : scene.materials)
      visit(restitution_of(a, b));
  }
}

// Least and greatest of those that are given.
std::optional<std::pair<double, double>> range_of(const Scene& scene) {
  std::optional<std::pair<double, double>> range;
  each_pair(scene, [&](std::optional<double> e) {
    if (e)
      range = {std::min(*e, range ? range->first : *e), std::max(*e, range ? range->second : *e)};
  });
  return range;
}

}  // namespace

std::optional<double> restitution_of(const Material& a, const Material& b) {
  if (a.restitution && b.restitution)
    return std::sqrt(*a.restitution * *b.restitution);
  return a.restitution ? a.restitution : b.restitution;
}

std::optional<double> restitution_of(const Material& m, const Domain& domain) {
  return domain.restitution ? domain.restitution : m.restitution;
}

bool has_restitution(Method method) {
  return method == Method::dem || method == Method::vts || method == Method::sp;
}

bool gives_restitution(const Scene& scene) {
  return range_of(scene).has_value();
}

Rebound rebound_of(double restitution) {
  Rebound out;
  if (restitution < 1.0)
    out.ratio = bisect(0.0, ratio_most, [&](double z) { return mean_collision(spring_of(z)).rebound < restitution; });
  out.kappa = stiffest(out.ratio);
  out.deepest = mean_collision(spring_of(out.ratio)).deepest;
  return out;
}

double softest_kappa(const Scene& scene) {
  const auto range = range_of(scene);
  return range ? std::min<double>(shared::dem_kappa, rebound_of(range->first).kappa) : shared::dem_kappa;
}

double deepest_rebound(const Scene& scene) {
  const auto range = range_of(scene);
  return range ? rebound_of(range->second).deepest : 0.0;
}

}  // namespace talus
