#pragma once
// Grains that rotate, as tests read and set them.
#include "simulate.h"

namespace talus_tests {

struct SpinningGrain {
  talus::uint id;
  glm::dvec3 position, velocity, spin;  // m, m/s, sigma = r omega [m/s]
  double radius, mass, inertia;         // m, kg, kg m2
};

// In the order of their numbers; none is fixed.
inline std::vector<SpinningGrain> spinning_grains(talus::Simulation& simulation) {
  using namespace talus;
  const std::uint32_t places = simulation.grain_places();
  const auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, places);
  const auto ids = read_field<uint>(simulation.executor(), FieldId::grain_id, places);
  const auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, places);
  std::vector<SpinningGrain> out;
  for (std::uint32_t i = 0; i < places; ++i) {
    const double radius = grains[i].position.w, mass = 1.0 / static_cast<double>(grains[i].velocity.w);
    out.push_back({ids[i], vec3(grains[i].position), vec3(grains[i].velocity), vec3(spins[i]), radius, mass,
                   mass * radius * radius / static_cast<double>(spins[i].w)});
  }
  std::ranges::sort(out, {}, &SpinningGrain::id);
  return out;
}

// The same spin for all grains.
inline void set_spins(talus::Simulation& simulation, glm::dvec3 sigma) {
  using namespace talus;
  auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, simulation.grain_places());
  for (vec4& spin : spins)
    spin = vec4(vec3(sigma), spin.w);
  write_field(simulation.executor(), FieldId::grain_spin, spins);
}

}  // namespace talus_tests
