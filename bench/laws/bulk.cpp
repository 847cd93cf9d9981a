#include "bench/laws/bulk.h"
#include "bench/constants.h"
#include <algorithm>
#include <cmath>

namespace bench {

using talus::Scene;

Scene bulk_scene(const talus::Solver& solver, double friction, double rolling) {
  Scene scene = floor_scene(solver, friction, 240.0, 1, solver.iterations);
  scene.solver = solver;
  scene.solver.substeps = 0;
  scene.materials[0].density = 2500.0;
  scene.materials[0].rolling_friction = rolling;
  return scene;
}

double volume_of(double radius) {
  return 4.0 / 3.0 * pi * std::pow(radius, 3);
}

talus::GrainGroup group_of(double radius, talus::Shape shape, std::optional<unsigned> count) {
  talus::GrainGroup group;
  group.radius_min = group.radius_max = radius;
  group.shape = std::move(shape);
  group.count = count;
  return group;
}

talus::BodySpec hollow_cylinder(const char* name, double inner, double half_length, glm::dvec3 rotation) {
  talus::BodySpec body;
  body.name = name;
  const double outer = 1.25 * inner;
  body.parts.push_back({.shape = talus::ConePart{outer, outer, 2.0 * half_length}, .rotation = rotation});
  body.parts.push_back(
      {.shape = talus::ConePart{inner, inner, 2.5 * half_length}, .rotation = rotation, .subtract = true});
  body.material = 0;
  body.show = talus::Show::cut;
  return body;
}

Scene tube_scene(unsigned count, double radius, double inner, double friction, double rolling) {
  Scene scene = bulk_scene(talus::default_solver(talus::Method::dem), friction, rolling);
  const double loose = count * volume_of(radius) / (0.3 * pi * inner * inner);
  const double reach = 2.0 * inner, half = 0.6 * (loose + 10.0 * radius);
  scene.domain.min = {-reach, -reach, 0.0};
  scene.domain.max = {reach, reach, loose + 10.0 * radius};
  scene.bodies.push_back(hollow_cylinder("tube", inner, half, {}));
  scene.bodies[0].position.z = half - 2.0 * radius;
  scene.grains.push_back(group_of(radius, talus::CylinderFill{{0.0, 0.0, 0.0}, inner, loose}, count));
  scene.end = std::sqrt(2.0 * loose / g) + 0.4;
  return scene;
}

std::vector<glm::dvec3> settled_in(const LawContext& context, const Scene& tube) {
  talus::Simulation simulation = simulate(context, tube);
  go_on(simulation, tube.end);
  std::vector<glm::dvec3> places;
  for (const talus::GrainState& grain : simulation.grains())
    places.push_back(glm::max(glm::dvec3(grain.position), glm::dvec3(-1e9, -1e9, 0.0)));
  return places;
}

double coordination(std::span<const talus::GrainState> grains, const talus::Domain& domain, double from, double to) {
  std::vector<std::size_t> order(grains.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return grains[k].position.z; });
  std::vector<int> contacts(grains.size());
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      const talus::GrainState &one = grains[order[a]], &other = grains[order[b]];
      const double reach = static_cast<double>(one.radius) + other.radius;
      glm::dvec3 d = glm::dvec3(other.position) - glm::dvec3(one.position);
      if (d.z > reach)
        break;
      for (int axis = 0; axis < 2; ++axis)
        if (domain.axis[static_cast<std::size_t>(axis)] == talus::Axis::periodic) {
          const double period = domain.max[axis] - domain.min[axis];
          d[axis] -= period * std::round(d[axis] / period);
        }
      if (glm::dot(d, d) < reach * reach) {
        ++contacts[order[a]];
        ++contacts[order[b]];
      }
    }
  double sum = 0.0, count = 0.0;
  for (std::size_t k = 0; k < grains.size(); ++k)
    if (grains[k].position.z > from && grains[k].position.z < to && contacts[k] >= 2) {
      sum += contacts[k];
      ++count;
    }
  return count > 0.0 ? sum / count : NAN;
}

}  // namespace bench
