#include "bench/laws/soil_bed.h"
#include "bench/constants.h"
#include "bench/measure.h"

namespace bench {

using talus::Scene;

Scene soil_scene(const talus::Solver& solver, const Soil& soil, glm::dvec2 size, double depth,
                 const std::vector<talus::BodySpec>& bodies) {
  Scene scene = bulk_scene(solver, soil.friction, soil.rolling);
  scene.solver.overlap = forces_overlap;
  const double loose = depth * 0.58 / 0.3;
  scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::wall};
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {size.x, size.y, loose + 5.0 * soil_size};
  scene.grains.push_back(group_of(soil_radius, talus::BoxFill{{0.0, 0.0, 0.0}, {size.x, size.y, loose}},
                                  static_cast<unsigned>(0.58 * size.x * size.y * depth / volume_of(soil_radius))));
  scene.bodies = bodies;
  scene.end = std::sqrt(2.0 * loose / g) + 0.4;
  return scene;
}

SoilBed settled_soil(const LawContext& context, const Soil& soil, glm::dvec2 size, double depth,
                     const std::vector<talus::BodySpec>& bodies, glm::dvec2 low, glm::dvec2 high) {
  const Scene scene = soil_scene(talus::default_solver(talus::Method::dem), soil, size, depth, bodies);
  talus::Simulation simulation = simulate(context, scene);
  go_on(simulation, scene.end);
  SoilBed bed{size};
  const std::vector<talus::GrainState> grains = simulation.grains();
  double mean = 0.0;
  for (const talus::GrainState& grain : grains) {
    bed.places.emplace_back(grain.position);
    mean += grain.position.z / static_cast<double>(grains.size());
  }
  bed.surface = 2.0 * mean;
  bed.density = soil_density * packing_fraction(grains, {low, 0.2 * depth}, {high, 0.8 * depth});
  return bed;
}

SoilBed copies_of(const SoilBed& bed, int along_x, int along_y) {
  SoilBed all{bed.size * glm::dvec2(along_x, along_y), bed.surface, bed.density, {}};
  for (int x = 0; x < along_x; ++x)
    for (int y = 0; y < along_y; ++y)
      for (const glm::dvec3& p : bed.places)
        all.places.emplace_back(p.x + x * bed.size.x, p.y + y * bed.size.y, p.z);
  return all;
}

Scene scene_of(const talus::Solver& solver, const Soil& soil, const SoilBed& bed, double overlap, double highest) {
  Scene scene = soil_scene(solver, soil, bed.size, bed.surface, {});
  scene.grains.clear();
  add_points(scene, soil_radius, bed.places);
  scene.domain.max.z = highest;
  scene.solver.overlap = overlap;
  return scene;
}

}  // namespace bench
