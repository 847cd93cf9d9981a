#include "engine/scene/hertz.h"
#include "engine/scene/limitations.h"
#include "shaders/shared/types.h"
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace talus {
namespace {

// A crystal (face-centred cubic) bears, while all its grains spin alike, 12 contacts of K_t + 2 D_t up to 0.2, and
// while its layers move against one another K + K_t + 2 (D + D_t) up to 1 (shaders/shared/types.h, dem_kappa). K = h^2
// S/m_eff, K_t = K tangential; D and D_t: shares of approach and of slip that damping takes. dem stays below these by
// 11 and 1 %.
constexpr double spin_bears = 0.178, layers_bear = 0.989;

// 1 - nu^2 over E, and 2 - nu over G.
double normal_compliance(const Material& m) {
  return (1.0 - m.poisson_ratio * m.poisson_ratio) / m.young_modulus.value();
}
double tangential_compliance(const Material& m) {
  return (2.0 - m.poisson_ratio) * 2.0 * (1.0 + m.poisson_ratio) / m.young_modulus.value();
}

// The greatest sqrt(K) with quadratic K + linear sqrt(K) <= most.
double root_of(double quadratic, double linear, double most) {
  return 2.0 * most / (linear + std::sqrt(linear * linear + 4.0 * quadratic * most));
}

HertzPair pair_of(double normal, double tangential, std::optional<double> restitution) {
  HertzPair pair;
  pair.modulus = 1.0 / normal;
  pair.tangential = 4.0 * normal / tangential;
  pair.ratio = restitution ? hertz_ratio_of(*restitution) : static_cast<double>(shared::dem_zeta);
  const double damping = 2.0 * shared::hertz_damping * pair.ratio, across = std::sqrt(pair.tangential);
  const double root = std::min(root_of(pair.tangential, across * damping, spin_bears),
                               root_of(1.0 + pair.tangential, (1.0 + across) * damping, layers_bear));
  pair.kappa = root * root;
  return pair;
}

}  // namespace

bool has_hertz(const Solver& solver) {
  return solver.method == Method::dem && solver.contact == ContactLaw::hertz;
}

void check_hertz(const Scene& scene) {
  const auto fail = [&](const std::string& what) { throw SceneError(fmt::format("{}: {}", scene.source, what)); };
  if (scene.solver.contact == ContactLaw::linear)
    return;
  if (scene.solver.method != Method::dem)
    fail("solver.contact = \"hertz\" is a setting of dem");
  if (scene.solver.stiffness != Stiffness::material)
    fail("solver.contact = \"hertz\" takes its stiffness from the material: set solver.stiffness to \"material\"");
  const auto pulls = [](double adhesion) { return adhesion > 0.0; };
  if (pulls(scene.domain.adhesion.value_or(0.0)))
    fail("domain.adhesion: " + say(limitation_of(Capability::hertz, Capability::adhesion)));
  for (const Material& m : scene.materials) {
    if (!m.young_modulus)
      fail(fmt::format("material.{} lacks the key young_modulus, which solver.contact = \"hertz\" needs", m.name));
    if (pulls(m.adhesion))
      fail(
          fmt::format("material.{}.adhesion: {}", m.name, say(limitation_of(Capability::hertz, Capability::adhesion))));
  }
}

HertzPair hertz_pair_of(const Material& a, const Material& b, std::optional<double> restitution) {
  return pair_of(normal_compliance(a) + normal_compliance(b), tangential_compliance(a) + tangential_compliance(b),
                 restitution);
}

HertzPair hertz_wall_of(const Material& material, std::optional<double> restitution) {
  return pair_of(normal_compliance(material), tangential_compliance(material), restitution);
}

// A damped linear oscillator that lets go where its force turns to pulling (Schwager and Poeschel 2007), to which a
// Hertzian contact with Tsuji's damping is equal in overlap^(5/4).
double hertz_restitution_of(double ratio) {
  if (ratio < 1.0) {
    const double frequency = std::sqrt(1.0 - ratio * ratio);
    return std::exp(-ratio / frequency *
                    (std::numbers::pi - std::atan2(2.0 * ratio * frequency, 1.0 - 2.0 * ratio * ratio)));
  }
  if (ratio == 1.0)
    return std::exp(-2.0);
  const double rate = std::sqrt(ratio * ratio - 1.0);
  return std::exp(-ratio / rate * std::log((ratio + rate) / (ratio - rate)));
}

double hertz_ratio_of(double restitution) {
  if (restitution >= 1.0)
    return 0.0;
  double low = 0.0, high = 16.0;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (hertz_restitution_of(middle) > restitution ? low : high) = middle;
  }
  return low;
}

double hertz_overlap(double modulus, double reduced_radius, double force) {
  return std::pow(0.75 * force / (modulus * std::sqrt(reduced_radius)), 2.0 / 3.0);
}

double hertz_impact_overlap(double modulus, double reduced_radius, double reduced_mass, double speed) {
  return std::pow(15.0 / 16.0 * reduced_mass * speed * speed / (modulus * std::sqrt(reduced_radius)), 0.4);
}

double hertz_tangent(double modulus, double reduced_radius, double overlap) {
  return 2.0 * modulus * std::sqrt(reduced_radius * overlap);
}

}  // namespace talus
