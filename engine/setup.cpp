#include "engine/setup.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace talus {
namespace {

// Bits of the cell table per axis: enough for the domain at rest, at most four cells per grain. Where the table
// is smaller than the domain it repeats, except along periodic axes, whose cells must all differ.
uvec3 grid_bits_for(const Settings& s, std::size_t grains) {
  const float cell = (2.0f + margin_rest) * s.radius_max;
  uvec3 bits;
  for (int a = 0; a < 3; ++a) {
    const float cells = std::clamp(std::ceil((s.domain_max[a] - s.domain_min[a]) / cell) + 1.0f, 4.0f, 1048576.0f);
    bits[a] = static_cast<uint>(std::bit_width(static_cast<uint>(cells) - 1u));
  }
  const uint most = std::max<uint>(12u, static_cast<uint>(std::bit_width(grains)) + 1u);
  while (bits.x + bits.y + bits.z > most) {
    int largest = -1;
    for (int a = 0; a < 3; ++a)
      if (s.axis[a] != axis_periodic && bits[a] > 2 && (largest < 0 || bits[a] > bits[largest]))
        largest = a;
    if (largest < 0)
      break;
    bits[largest] -= 1;
  }
  if (bits.x + bits.y + bits.z > 28)
    throw SceneError("the domain's periodic axes are too long for grains this small: more than 2^28 cells");
  return bits;
}

// Two springs (dampers) of twice the value in a row.
double in_series(double a, double b) {
  return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}

}  // namespace

double substep_of(const Scene& scene) {
  return scene.dt / scene.solver.substeps;
}

Grain grain_of(const Scene& scene, const Seed& seed) {
  const double r = seed.radius;
  const double mass = scene.materials[seed.material].density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  return {vec4(seed.position, seed.radius), vec4(seed.velocity, static_cast<float>(1.0 / mass))};
}

Settings settings_of(const Scene& scene, const Population& population) {
  Settings settings{};
  const Domain& domain = scene.domain;
  settings.domain_min = vec3(domain.min);
  settings.domain_max = vec3(domain.max);
  for (int a = 0; a < 3; ++a)
    settings.axis[a] = static_cast<uint>(domain.axis[static_cast<std::size_t>(a)]);
  settings.gravity = vec3(domain.gravity);
  settings.materials = static_cast<uint>(scene.materials.size());
  for (const Seed& seed : population.initial)
    settings.radius_max = std::max(settings.radius_max, seed.radius);
  for (const TimedSeed& timed : population.poured) {
    settings.radius_max = std::max(settings.radius_max, timed.seed.radius);
    settings.birth_speed = std::max(settings.birth_speed, glm::length(timed.seed.velocity));
  }
  if (settings.radius_max == 0.0f)
    settings.radius_max = 0.01f;  // a world without grains still has cells
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic &&
        settings.domain_max[a] - settings.domain_min[a] < period_least * settings.radius_max)
      throw SceneError(fmt::format(
          "{}: periodic axis {} is {} m long; the least is 12 radii of the largest grain, {} m", scene.source, "xyz"[a],
          settings.domain_max[a] - settings.domain_min[a], period_least * settings.radius_max));
  settings.grid_bits = grid_bits_for(settings, population.initial.size() + population.poured.size());
  return settings;
}

std::vector<PairLaw> pair_laws_of(const Scene& scene) {
  const double h = substep_of(scene);
  const std::size_t count = scene.materials.size();
  const auto damping = [&](const Material& m) { return m.damping.value_or(0.1 * m.stiffness * h); };
  std::vector<PairLaw> laws((count + 1) * (count + 1));
  for (std::size_t a = 0; a < count; ++a) {
    const Material& ma = scene.materials[a];
    for (std::size_t b = 0; b < count; ++b) {
      const Material& mb = scene.materials[b];
      laws[a * (count + 1) + b] = {static_cast<float>(std::sqrt(ma.friction_static * mb.friction_static)),
                                   static_cast<float>(std::sqrt(ma.friction_kinetic * mb.friction_kinetic)),
                                   static_cast<float>(in_series(ma.stiffness, mb.stiffness)),
                                   static_cast<float>(in_series(damping(ma), damping(mb)))};
    }
    const PairLaw wall{static_cast<float>(scene.domain.friction_static.value_or(ma.friction_static)),
                       static_cast<float>(scene.domain.friction_kinetic.value_or(ma.friction_kinetic)),
                       static_cast<float>(ma.stiffness), static_cast<float>(damping(ma))};
    laws[a * (count + 1) + count] = laws[count * (count + 1) + a] = wall;
  }
  return laws;
}

}  // namespace talus
