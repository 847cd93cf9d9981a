// Bodies that parts are taken away from, seen from outside: holes and their rims.
#include "engine/reference/solid.h"
#include "engine/scene/bodies.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double slab_top = 0.25, hole_radius = 0.3;

// A slab with a hole through it, which ends `beyond` the slab.
std::vector<BodyPart> holed_slab(const PartShape& slab, bool round, double beyond) {
  const double height = 2.0 * (slab_top + beyond), width = 2.0 * hole_radius;
  const PartShape hole =
      round ? PartShape(ConePart{hole_radius, hole_radius, height}) : PartShape(BoxPart{{width, width, height}});
  return {{slab}, {hole, {}, {}, true}};
}

std::vector<BodyPart> holed_slab(bool round, double beyond) {
  return holed_slab(BoxPart{{2.0, 2.0, 2.0 * slab_top}}, round, beyond);
}

Fields fields_of_body(const std::vector<BodyPart>& parts) {
  Scene scene = scene_of(0.01, 1, 1);
  scene.bodies.push_back(body_of("solid", parts));
  Simulation simulation(scene, on_cpu);
  return fields_of(simulation.executor(), {FieldId::bodies, FieldId::shape_data});
}

Scene hole_scene(const Solver& solver, const std::vector<BodyPart>& parts) {
  Scene scene = with(open_scene(1.0 / 240, 4, 10), solver);
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.3;
  scene.bodies.push_back(body_of("slab", parts));
  return scene;
}

}  // namespace

TEST_CASE("Over a hole the nearest point of a slab is on the rim, wherever the hole ends", "[bodies]") {
  const bool round = GENERATE(true, false), disc = GENERATE(false, true);
  const double beyond = GENERATE(0.0, 0.001, 0.01, 0.1, 1.0);
  CAPTURE(round, beyond, disc);
  const PartShape slab = disc ? PartShape(ConePart{1.0, 1.0, 2.0 * slab_top}) : BoxPart{{2.0, 2.0, 2.0 * slab_top}};
  const Fields f = fields_of_body(holed_slab(slab, round, beyond));
  int rims = 0, faces = 0;
  for (int x = -16; x <= 16; ++x)
    for (int z = -12; z <= 12; ++z) {
      // In the plane of y near 0, where both holes have the same section.
      const glm::vec3 p(0.03 * x + 0.004, 0.0, slab_top + 0.03 * z + 0.004);
      const double into = hole_radius - std::abs(p.x), above = p.z - slab_top;  // m, from the wall and from the top
      if ((into < 0.0 && above < 0.0) || above < -2.0 * slab_top + 0.02)
        continue;
      CAPTURE(p.x, p.z);
      const bool rim = into > 0.0 && above > 0.0, side = !rim && into > 0.0;
      const double expected = rim ? std::hypot(into, above) : side ? into : above;
      const reference::Distance d = reference::from_body(f, 0, p);
      CHECK(d.value == Approx(expected).margin(1e-5));
      CHECK(glm::length(glm::dvec3(d.gradient) -
                        glm::dvec3(side || rim ? (p.x > 0.0f ? -1.0 : 1.0) * into : 0.0, 0.0, side ? 0.0 : above) /
                            expected) < 1e-4);
      rims += rim;
      faces += !rim;
    }
  CHECK(rims > 150);
  CHECK(faces > 150);
}

TEST_CASE("A corner that sticks out between two holes is met at its tip", "[bodies]") {
  // Two slots that cross: four corners are left, at (+-.1, +-.1).
  const Fields f = fields_of_body({{BoxPart{{2.0, 2.0, 0.5}}},
                                   {BoxPart{{1.0, 0.2, 0.52}}, {}, {}, true},
                                   {BoxPart{{0.2, 1.0, 0.52}}, {}, {}, true}});
  for (const glm::vec3& p :
       {glm::vec3(0.05f, 0.06f, 0.3f), glm::vec3(-0.02f, 0.08f, 0.255f), glm::vec3(0.01f, -0.03f, 0.31f)}) {
    const glm::vec3 tip(std::copysign(0.1f, p.x), std::copysign(0.1f, p.y), 0.25f);
    const reference::Distance d = reference::from_body(f, 0, p);
    CHECK(d.value == Approx(glm::distance(p, tip)).epsilon(1e-5));
    CHECK(glm::length(d.gradient - (p - tip) / d.value) < 1e-4f);
  }
}

TEST_CASE("A hole lets grains through that are narrower than it, wherever it ends", "[bodies]") {
  const Method method = GENERATE(Method::dem, Method::p2, Method::pbd, Method::vts, Method::sp);
  const bool round = GENERATE(true, false);
  const double beyond = GENERATE(0.0, 0.01, 0.05);
  CAPTURE(method, round, beyond);
  const double r = 0.15;
  Scene scene = hole_scene(default_solver(method), holed_slab(round, beyond));
  add_points(scene, r, {{0.01, 0.02, slab_top + 2.0 * r}, {-0.08, 0.05, slab_top + 5.0 * r}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  for (const GrainState& grain : simulation.grains())
    CHECK(grain.position.z < -slab_top - r);
}

TEST_CASE("The rim of a hole bears a grain that is wider", "[bodies]") {
  const Method method = GENERATE(Method::dem, Method::p2, Method::pbd, Method::vts, Method::sp);
  const bool round = GENERATE(true, false);
  CAPTURE(method, round);
  const double r = 0.4;
  Scene scene = hole_scene(default_solver(method), holed_slab(round, 0.01));
  const double rest = slab_top + std::sqrt(r * r - hole_radius * hole_radius);
  add_points(scene, r, {{0.02, 0.01, rest + 0.05}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(720);
  for (int i = 0; i < 240; ++i) {
    simulation.advance(1);
    const glm::vec3 at = simulation.grains()[0].position;
    CHECK(std::hypot(at.x, at.y) < 0.01 * r);
    CHECK(std::abs(at.z - rest) < 0.03 * r);  // pbd corrects 0.02 r less than all of it
  }
}

TEST_CASE("Every pass agrees with its reference over holes and rims", "[device][bodies][lockstep]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Scene scene = hole_scene(variant.solver, holed_slab(false, 0.01));
  scene.dt = 1.0 / 60;
  scene.solver.substeps = 2;
  scene.solver.iterations = variant.solver.method == Method::dem ? 1 : 4;
  // A sieve of round and square holes and a cut that crosses one of them, tilted and turning.
  std::vector<BodyPart> sieve{{ConePart{0.6, 0.6, 0.1}}};
  for (int k = 0; k < 7; ++k) {
    const glm::dvec3 place{0.2 * (k % 3 - 1), 0.2 * (k / 3 - 1), 0.0};
    sieve.push_back(k % 2 == 0 ? BodyPart{ConePart{0.05, 0.05, 0.11}, place, {}, true}
                               : BodyPart{BoxPart{{0.07, 0.07, 0.11}}, place, {0.0, 0.0, 30.0}, true});
  }
  sieve.push_back({BoxPart{{0.05, 0.5, 0.2}}, {0.2, 0.0, 0.0}, {0.0, 20.0, 0.0}, true});
  scene.bodies = {body_of("sieve", sieve, {}, {5.0, -8.0, 0.0})};
  scene.bodies[0].spin = {0.1, 0.0, 0.4};
  GrainGroup group;
  group.radius_min = 0.04;
  group.radius_max = 0.07;
  group.velocity = {0.1, -0.3, -1.0};
  group.velocity_random = 0.5;
  group.shape = CylinderFill{{0.0, 0.0, 0.18}, 0.4, 0.3};
  scene.grains.push_back(group);
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(6));
  REQUIRE_NOTHROW(simulation.measure());
  CHECK(simulation.measure().contacts_max > 2);
}
