// Ten thousand grains thrown at a thin plate, none behind it.
#include "engine/scene/words.h"
#include "simulate.h"
#include <memory>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double leaking_radius = 0.01;

Mesh box_mesh(const glm::dvec3& edges) {
  Mesh mesh;
  for (unsigned c = 0; c < 8; ++c)
    mesh.vertices.push_back(glm::vec3((glm::dvec3(c & 1, c >> 1 & 1, c >> 2) - 0.5) * edges));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// A radius thick, across x at 0.
std::vector<std::pair<std::string, PartShape>> plates() {
  const glm::dvec3 edges(leaking_radius, 1.2, 1.2);
  const auto mesh = [&](MeshAs as) {
    MeshPart part;
    part.as = as;
    part.file = "made here";
    part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{box_mesh(edges), true, {}});
    return part;
  };
  return {{"box", BoxPart{edges}}, {"sdf", mesh(MeshAs::sdf)}, {"triangles", mesh(MeshAs::triangles)}};
}

}  // namespace

TEST_CASE("Ten thousand grains at 20 m/s do not pass a plate one radius thick", "[bodies][leak]") {
  const auto [method, kind] = GENERATE(table<Method, std::size_t>({{Method::p2, 1},
                                                                   {Method::pbd, 2},
                                                                   {Method::vts, 0},
                                                                   {Method::sp, 1},
                                                                   {Method::dem, 0},
                                                                   {Method::dem, 1},
                                                                   {Method::dem, 2}}));
  const auto [name, plate] = plates()[kind];
  CAPTURE(word(method), name);
  Scene scene = scene_of(1.0 / 240, 0, 5);
  scene.end = 0.05;
  scene.solver = default_solver(method);
  scene.domain.min = {-1.0, -0.5, -0.5};
  scene.domain.max = {1.0, 0.5, 0.5};
  scene.domain.axis = {Axis::open, Axis::periodic, Axis::periodic};  // no way around it
  scene.domain.gravity = {0.0, 0.0, -9.81};
  scene.bodies.push_back(body_of("plate", {{plate}}));
  GrainGroup group;
  group.radius_min = group.radius_max = leaking_radius;
  group.shape = BoxFill{{0.03, -0.5, -0.5}, {0.18, 0.5, 0.5}};
  group.velocity = {-20.0, 0.0, 0.0};
  group.velocity_random = 1.0;
  group.count = 10000;
  scene.grains.push_back(group);
  Simulation simulation(scene, on_cpu);
  double deepest = 1.0;          // m, of a centre before the plate's face
  for (int i = 0; i < 5; ++i) {  // all have arrived after three
    simulation.advance(1);
    std::size_t behind = 0;
    for (const GrainState& grain : simulation.grains()) {
      behind += grain.position.x < 0.0f;
      deepest = std::min(deepest, static_cast<double>(grain.position.x) - 0.5 * leaking_radius);
    }
    CAPTURE(i);
    CHECK(behind == 0);
  }
  CHECK(simulation.cfl_violations() == 0);
  CHECK(deepest > 0.3 * leaking_radius);  // overlaps the face by 0.7 radii at most, when all of it arrives
}
