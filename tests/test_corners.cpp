// Grains in the hollow corners of one body.
#include "engine/scene/bodies.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double g = 9.81, r = 0.02;

// A hollow that a grain falls into, with the bottom at the origin.
struct Hollow {
  std::string name;
  std::vector<BodyPart> parts;
  glm::dvec3 start;
  int faces;  // that carry the grain
  bool apart = false;  // each part a body of its own
};

// Two boxes, or planes, that lean away from each other by this much from the horizontal; the edge between them runs along y.
std::vector<BodyPart> valley(double degrees, bool planes) {
  const double slope = glm::radians(degrees), s = std::sin(slope), c = std::cos(slope);
  if (planes)
    return {{PlanePart{}, {}, {0.0, degrees, 0.0}}, {PlanePart{}, {}, {0.0, -degrees, 0.0}}};
  return {{BoxPart{{0.4, 0.4, 0.1}}, {-0.05 * s * -1.0, 0.0, -0.05 * c}, {0.0, -degrees, 0.0}},
          {BoxPart{{0.4, 0.4, 0.1}}, {0.05 * s * -1.0, 0.0, -0.05 * c}, {0.0, degrees, 0.0}}};
}

const std::vector<BodyPart> bin = {{BoxPart{{0.4, 0.4, 0.3}}, {0.0, 0.0, 0.05}},
                                   {BoxPart{{0.3, 0.3, 0.4}}, {0.0, 0.0, 0.2}, {}, true}};
const std::vector<BodyPart> can = {{ConePart{0.2, 0.2, 0.3}, {0.0, 0.0, 0.05}},
                                   {ConePart{0.15, 0.15, 0.4}, {0.0, 0.0, 0.2}, {}, true}};

Scene scene_in(const Hollow& hollow, const Solver& solver, double mu, glm::dvec3 turn = {}) {
  Scene scene = with(scene_of(1.0 / 240, 4, 10), solver);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.friction_static = scene.domain.friction_kinetic = mu;
  if (hollow.apart)
    for (std::size_t k = 0; k < hollow.parts.size(); ++k)
      scene.bodies.push_back(body_of(fmt::format("part {}", k), {hollow.parts[k]}, {}, turn));
  else
    scene.bodies.push_back(body_of("hollow", hollow.parts, {}, turn));
  add_points(scene, r, {rotation_of(turn) * hollow.start});
  return scene;
}

}  // namespace

TEST_CASE("scratch corners", "[.scratch]") {
  const Variant variant = each_method();
  const double mu = GENERATE(0.0, 0.5);
  std::vector<Hollow> hollows;
  for (const double degrees : {30.0, 45.0})
    for (const int kind : {0, 1, 2}) {
      if (kind == 2)
        hollows.push_back({fmt::format("apart {}", degrees), valley(degrees, false), {0.003, 0.0, 1.6 * r}, 2, true});
      else
        hollows.push_back({fmt::format("V {} {}", degrees, kind ? "planes" : "boxes"), valley(degrees, kind), {0.003, 0.0, 1.6 * r}, 2});
    }
  hollows.push_back({"bin edge", bin, {0.15 - 1.3 * r, 0.0, 1.5 * r}, 2});
  hollows.push_back({"bin corner", bin, {0.15 - 1.3 * r, 0.15 - 1.4 * r, 1.5 * r}, 3});
  hollows.push_back({"can", can, {0.15 - 1.3 * r, 0.0, 1.5 * r}, 2});
  for (const Hollow& hollow : hollows) {
    const bool is_bin = hollow.name[0] == 'b' || hollow.name[0] == 'c';
    const glm::dvec3 turn = is_bin ? (hollow.faces == 3 ? glm::dvec3(-30, 30, 0) : glm::dvec3(0, 35, 0)) : glm::dvec3(0);
    Scene scene = scene_in(hollow, variant.solver, mu, turn);
    for (auto& b : scene.bodies) b.load_filter = 0.0;
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    double fastest = 0.0; glm::dvec3 force(0.0);
    for (int i = 0; i < 120; ++i) {
      simulation.advance(1);
      fastest = std::max(fastest, double(glm::length(simulation.grains()[0].velocity)));
      for (auto& l : simulation.body_loads()) force += glm::dvec3(l.force) / 120.0;
    }
    const double weight = scene.materials[0].density * 4.0 / 3.0 * std::numbers::pi * r * r * r * g;
    const auto gr = simulation.grains()[0];
    fmt::print("{:32} mu {:.1f} {:14} v {:.1e}  load/weight {:.5f} {:.1e} pos {:.4f} {:.4f} {:.4f} pen {:.2e} contacts {}\n", variant.name, mu, hollow.name, fastest, -force.z / weight,
               std::hypot(force.x, force.y) / weight, gr.position.x, gr.position.y, gr.position.z, simulation.measure().penetration_max, simulation.measure().contacts_max);
  }
}
