#include "spinning.h"

namespace talus_tests {

using namespace talus;

std::vector<SpinningGrain> spinning_grains(Simulation& simulation) {
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

void set_spins(Simulation& simulation, glm::dvec3 sigma) {
  auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, simulation.grain_places());
  for (vec4& spin : spins)
    spin = vec4(vec3(sigma), spin.w);
  write_field(simulation.executor(), FieldId::grain_spin, spins);
}

Scene rotating_scene(const Solver& solver, int substeps) {
  Scene scene = with(scene_of(1.0 / 200, substeps, 4), solver);
  scene.solver.rotation = true;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = spinning_friction;
  return scene;
}

Scene rolling_ball(const Solver& solver, double degrees, double speed, double rolling, int substeps) {
  Scene scene = on_incline(rotating_scene(solver, substeps), degrees, spinning_friction, spinning_friction, speed);
  scene.solver.rotation = true;
  scene.domain.rolling_friction = rolling;
  return scene;
}

Scene free_cloud(const Solver& solver, double rolling, int substeps, double hole) {
  Scene scene = rotating_scene(solver, substeps);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials.push_back({.name = "hollow", .friction_static = 0.9, .friction_kinetic = 0.6, .inertia = 2.0 / 3.0});
  for (Material& material : scene.materials)
    material.rolling_friction = rolling;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  for (int k = 0; k < 120; ++k) {
    const glm::dvec3 at{0.06 * between(random), 0.06 * between(random), 0.06 * between(random)};
    if (glm::length(at) > hole)
      add_points(scene, 0.006 + 0.003 * between(random), {at}, -4.0 * at);
  }
  for (std::size_t k = 0; k < scene.grains.size(); ++k)
    scene.grains[k].material = k % 2;
  return scene;
}

MomentaWithSpins momenta_with_spins(const std::vector<SpinningGrain>& grains) {
  MomentaWithSpins sum;
  for (const SpinningGrain& grain : grains) {
    const glm::dvec3 own =
        grain.mass * glm::cross(grain.position, grain.velocity) + grain.inertia / grain.radius * grain.spin;
    sum.linear += grain.mass * grain.velocity;
    sum.angular += own;
    sum.linear_size += grain.mass * glm::length(grain.velocity);
    sum.angular_size += glm::length(own);
  }
  return sum;
}

CloudMomenta momenta_of_cloud(const Solver& solver, double rolling, int substeps) {
  const glm::dvec3 spin(1.0, -0.5, 2.0);
  Simulation simulation(free_cloud(solver, rolling, substeps), on_cpu);
  set_spins(simulation, spin);
  const MomentaWithSpins before = momenta_with_spins(spinning_grains(simulation));
  simulation.advance(30);  // they part after 25; then the rounding of positions adds 1e-8 a step
  const std::vector<SpinningGrain> grains = spinning_grains(simulation);
  CHECK(std::ranges::count_if(grains, [&](const auto& grain) { return glm::length(grain.spin - spin) > 0.1; }) > 60);
  return {before, momenta_with_spins(grains)};
}

double fastest_of(Simulation& simulation) {
  double fastest = 0.0;
  for (const SpinningGrain& grain : spinning_grains(simulation))
    fastest = std::max({fastest, glm::length(grain.spin), glm::length(grain.velocity)});
  return fastest;
}

}  // namespace talus_tests
