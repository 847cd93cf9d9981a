// Fine grains: as many as the coarse ones have volume, in the same places, and along with them.
#include "engine/geometry/sampling.h"
#include "scratch.h"
#include "simulate.h"
#include <numbers>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

double volume_of(double radius) {
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

double volume_of(const std::vector<Seed>& seeds) {
  double sum = 0.0;
  for (const Seed& seed : seeds)
    sum += volume_of(seed.radius);
  return sum;
}

void add_fill(Scene& scene, Shape shape, double radius) {
  GrainGroup group;
  group.radius_min = group.radius_max = radius;
  group.shape = std::move(shape);
  scene.grains.push_back(group);
}

Upsampling fine_of(double radius_min, double radius_max) {
  Upsampling u;
  u.radius_min = radius_min;
  u.radius_max = radius_max;
  return u;
}

// A dem scene in a box with walls, 0.4 m wide and 0.4 m high.
Scene box_scene() {
  Scene scene = scene_of(0.004, 0, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.domain.min = {-0.2, -0.2, 0.0};
  scene.domain.max = {0.2, 0.2, 0.4};
  return scene;
}

}  // namespace

TEST_CASE("Fine grains have the volume of the coarse ones, and lie in the same shapes", "[upsampling]") {
  Scene scene = box_scene();
  SECTION("of a box") {
    add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.2}}, 0.015);
  }
  SECTION("of a ball") {
    add_fill(scene, SphereFill{{0.0, 0.0, 0.2}, 0.15}, 0.015);
  }
  SECTION("of a cylinder, on a dense lattice") {
    add_fill(scene, CylinderFill{{0.0, 0.0, 0.0}, 0.2, 0.3}, 0.015);
    scene.grains[0].sampling = Sampling::lattice;
    scene.grains[0].spacing = 1.0;
  }
  SECTION("of a ring around a body") {
    add_fill(scene, SolidFill{{{ConePart{0.15, 0.15, 0.3}, {0.0, 0.0, 0.15}}}}, 0.015);
    scene.bodies.push_back(body_of("pole", {{ConePart{0.05, 0.05, 0.4}}}, {0.0, 0.0, 0.2}));
  }
  SECTION("at given points") {
    PointsFill points;
    for (int k = 0; k < 40; ++k)
      points.points.emplace_back(0.0, 0.004 * k - 0.1, 0.1);
    add_fill(scene, points, 0.015);
  }
  scene.upsampling = fine_of(0.004, 0.005);
  const Population population = populate(scene);
  CHECK(volume_of(population.fine) == Approx(volume_of(population.initial)).epsilon(0.02));
  const Bounds box = bounds(scene.grains[0].shape);
  const bool points = std::holds_alternative<PointsFill>(scene.grains[0].shape);
  CHECK(std::ranges::all_of(population.fine, [&](const Seed& seed) {
    const double out = points ? 0.015 : 0.0, r = (1.0 - 1e-5) * seed.radius;
    return glm::all(glm::greaterThanEqual(glm::dvec3(seed.position) - r, box.min - out)) &&
           glm::all(glm::lessThanEqual(glm::dvec3(seed.position) + r, box.max + out)) && seed.radius >= 0.004f &&
           seed.radius <= 0.005f;
  }));
}

TEST_CASE("Fine grains of several materials and radii have each material's volume", "[upsampling]") {
  Scene scene = box_scene();
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.1}}, 0.015);
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.1}, {0.2, 0.2, 0.2}}, 0.010);
  scene.grains[1].material = 1;
  scene.grains[1].radius_max = 0.014;
  scene.upsampling = fine_of(0.004, 0.004);
  const Population population = populate(scene);
  for (const std::uint32_t material : {0u, 1u}) {
    const auto of = [&](std::vector<Seed> seeds) {
      std::erase_if(seeds, [&](const Seed& s) { return s.material != material; });
      return volume_of(seeds);
    };
    CHECK(of(population.fine) == Approx(of(population.initial)).epsilon(0.02));
  }
}

TEST_CASE("Fine grains keep apart at random", "[upsampling]") {
  Scene scene = box_scene();
  add_fill(scene, BoxFill{{-0.1, -0.1, 0.0}, {0.1, 0.1, 0.1}}, 0.015);
  scene.upsampling = fine_of(0.005, 0.005);
  const Population population = populate(scene);
  double nearest = 1.0, mean = 0.0;
  for (const Seed& a : population.fine) {
    double d = 1.0;
    for (const Seed& b : population.fine)
      if (&a != &b)
        d = std::min<double>(d, glm::distance(a.position, b.position));
    nearest = std::min(nearest, d);
    mean += d / static_cast<double>(population.fine.size());
  }
  CHECK(nearest > 1.6 * 0.005);
  CHECK(mean > 1.8 * 0.005);
  CHECK(mean < 2.4 * 0.005);
}

TEST_CASE("Fixed grains, shapes and cloth have no fine grains", "[upsampling]") {
  Scene scene = box_scene();
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.1}}, 0.015);
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.1}, {0.2, 0.2, 0.14}}, 0.015);
  scene.grains[1].fixed = true;
  scene.shapes.push_back({.name = "ball"});
  scene.shapes[0].grains.radius_min = scene.shapes[0].grains.radius_max = 0.015;
  scene.shapes[0].grains.shape = SphereFill{{0.0, 0.0, 0.25}, 0.05};
  scene.upsampling = fine_of(0.005, 0.005);
  const Population population = populate(scene);
  double volume = 0.0;
  for (const Seed& seed : population.initial)
    if (seed.position.z < 0.1f)
      volume += volume_of(seed.radius);
  CHECK(volume_of(population.fine) == Approx(volume).epsilon(0.02));
  CHECK(std::ranges::all_of(population.fine, [](const Seed& seed) { return seed.position.z < 0.1f; }));
}

TEST_CASE("Too many fine grains are refused", "[upsampling]") {
  Scene scene = box_scene();
  scene.domain.min = glm::dvec3(-20.0);
  scene.domain.max = glm::dvec3(20.0);
  add_fill(scene, BoxFill{{-3.0, -3.0, 0.0}, {3.0, 3.0, 1.0}}, 0.1);
  scene.upsampling = fine_of(0.0051, 0.0051);
  REQUIRE_THROWS_WITH(populate(scene), Catch::Contains("fine grains") && Catch::Contains("16777216"));
}
