// Bodies that parts are taken away from: holes let through what fits, wherever their parts end above the body.
#include "engine/reference/solid.h"
#include "engine/scene/bodies.h"
#include "engine/scene/free_ends.h"
#include "engine/scene/sampling.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double slab_top = 0.25, hole_radius = 0.3;

// A slab with a hole through it, which ends `beyond` the slab.
std::vector<BodyPart> holed_slab(bool round, double beyond) {
  const double height = 2.0 * (slab_top + beyond), width = 2.0 * hole_radius;
  const PartShape hole =
      round ? PartShape(ConePart{hole_radius, hole_radius, height}) : PartShape(BoxPart{{width, width, height}});
  return {{BoxPart{{2.0, 2.0, 2.0 * slab_top}}}, {hole, {}, {}, true}};
}

// How many of random places about the parts two lists of them do not agree on whether they are inside.
int disagreements(const std::vector<BodyPart>& one, const std::vector<BodyPart>& other) {
  const Solid a = solid_of(one, {}), b = solid_of(other, {});
  int apart = 0;
  Random random(7, 0);
  for (int k = 0; k < 20000; ++k) {
    const glm::dvec3 p = 2.5 * (random.vec() - 0.5);
    const double in_a = sample(a, p).distance, in_b = sample(b, p).distance;
    apart += std::abs(in_a) > 1e-9 && std::abs(in_b) > 1e-9 && (in_a < 0.0) != (in_b < 0.0);
  }
  return apart;
}

double height_of(const BodyPart& part) {
  return std::get<ConePart>(part.shape).height;
}

}  // namespace

TEST_CASE("A hole lets grains through that are narrower than it, wherever it ends", "[bodies]") {
  const Method method = GENERATE(Method::dem, Method::p2, Method::pbd, Method::vts, Method::sp);
  const bool round = GENERATE(true, false);
  // From an end that is 2 r out grains are r halfway: they would be stopped before they touch, as one at 2.013 r slows
  // what is faster than 1 m/s.
  const double beyond = GENERATE(0.0, 0.01, 0.05, 0.3, 0.302);
  CAPTURE(method, round, beyond);
  const double r = 0.15;
  Scene scene = with(open_scene(1.0 / 240, 4, 10), default_solver(method));
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.3;
  scene.bodies.push_back(body_of("slab", holed_slab(round, beyond)));
  add_points(scene, r, {{0.01, 0.02, slab_top + 2.0 * r}, {-0.08, 0.05, slab_top + 5.0 * r}});
  Simulation simulation(scene, on_cpu);
  for (const std::string& note : simulation.notes())
    CHECK_THAT(note, !Catch::Contains("ends less than"));
  simulation.advance(240);
  for (const GrainState& grain : simulation.grains())
    CHECK(grain.position.z < -slab_top - r);
}

TEST_CASE("Ends of subtracted parts are moved where nothing is before them, and the body stays as it is", "[bodies]") {
  constexpr double clear = 0.2;
  // Through a slab: both ends.
  const std::vector<BodyPart> through = holed_slab(true, 0.01);
  const FreeEnds both = free_ends(through, clear);
  CHECK(both.hemmed.empty());
  CHECK(height_of(both.parts[1]) == Approx(height_of(through[1]) + 2 * clear));
  CHECK(disagreements(through, both.parts) == 0);
  // An end that lies in the face of the slab, too, and one that no grain touches but that grains are slowed before; one
  // that is far out already stays.
  CHECK(height_of(free_ends(holed_slab(true, 0.12), clear).parts[1]) == Approx(2 * slab_top + 0.24 + 2 * clear));
  CHECK(height_of(free_ends(holed_slab(true, 0.0), clear).parts[1]) == Approx(2 * slab_top + 2 * clear));
  CHECK(free_ends(holed_slab(true, 0.3), clear).parts == holed_slab(true, 0.3));
  CHECK(free_ends(through, 0.0).parts == through);
  // A blind hole: the open end alone.
  std::vector<BodyPart> blind = through;
  blind[1].position.z = 0.05;
  const FreeEnds open = free_ends(blind, clear);
  CHECK(height_of(open.parts[1]) == Approx(height_of(blind[1]) + clear));
  CHECK(open.parts[1].position.z == Approx(0.05 + clear / 2));
  CHECK(disagreements(blind, open.parts) == 0);
  // A cavity within the slab has no open end.
  std::vector<BodyPart> closed = through;
  closed[1].shape = BoxPart{glm::dvec3(0.3)};
  CHECK(free_ends(closed, clear).parts == closed);
  // A funnel keeps its slope; where it would be pointed before, it stays.
  std::vector<BodyPart> funnel = through;
  funnel[1].shape = ConePart{0.1, 0.4, 0.52};
  const FreeEnds wide = free_ends(funnel, 0.1);
  const auto& cone = std::get<ConePart>(wide.parts[1].shape);
  CHECK((cone.top_radius - cone.radius) / cone.height == Approx(0.3 / 0.52));
  CHECK(cone.height == Approx(0.72));
  CHECK(disagreements(funnel, wide.parts) == 0);
  CHECK(std::get<ConePart>(free_ends(funnel, 0.3).parts[1].shape).height == Approx(0.82));
  // A trough that is open above and at one side, turned.
  std::vector<BodyPart> trough{{BoxPart{{1.0, 0.6, 0.5}}, {0.1, 0.0, 0.2}, {20.0, 0.0, 30.0}}};
  const Pose turned{trough[0].position, rotation_of(trough[0].rotation)};
  trough.push_back({BoxPart{{0.9, 0.5, 0.5}}, (turned * Pose{{0.06, 0.0, 0.06}}).position, {20.0, 0.0, 30.0}, true});
  const FreeEnds sides = free_ends(trough, clear);
  CHECK(sides.hemmed.empty());
  const glm::dvec3 size = std::get<BoxPart>(sides.parts[1].shape).size;
  CHECK(size.x == Approx(0.9 + clear));
  CHECK(size.y == Approx(0.5));
  CHECK(size.z == Approx(0.5 + clear));
  CHECK(disagreements(trough, sides.parts) == 0);
  // Of parts that are added later, nothing is taken away.
  std::vector<BodyPart> capped = through;
  capped.push_back({BoxPart{{0.8, 0.8, 0.1}}, {0.0, 0.0, slab_top + 0.05}});
  CHECK(disagreements(capped, free_ends(capped, clear).parts) == 0);
}

TEST_CASE("An end of a subtracted part that is before more of the body is told of", "[bodies]") {
  // A slot in a slab, under a beam that leaves half of it open.
  std::vector<BodyPart> parts = holed_slab(false, 0.01);
  parts.insert(parts.begin() + 1, {BoxPart{{2.0, 2.0, 0.1}}, {0.0, -1.0, slab_top + 0.08}});
  const FreeEnds ends = free_ends(parts, 0.2);
  CHECK(ends.hemmed == std::vector<std::size_t>{2});
  CHECK(disagreements(parts, ends.parts) == 0);
  Scene scene = open_scene(1.0 / 240, 4, 10);
  scene.bodies.push_back(body_of("slab", parts));
  add_points(scene, 0.05, {{0.0, 0.5, 1.0}});
  const Simulation simulation(scene, on_cpu);
  REQUIRE(simulation.notes().size() == 1);
  CHECK_THAT(simulation.notes()[0], Catch::Contains("parts.2 of body slab ends less than 0.1 m outside of it"));
}
