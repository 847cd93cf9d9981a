// Grains that a hand takes away, and a hand that pushes.
#include "engine/core/setup.h"
#include "engine/io/report.h"
#include "engine/scene/clump.h"
#include "scratch.h"
#include "simulate.h"
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

Scene settled_bed(const Solver& solver) {
  Scene scene = with(scene_of(1.0 / 240, 8, 5), solver);
  add_bed(scene, 0.05, 0.5, 0.01, 0.08);
  return scene;
}

std::uint32_t within_ball(Simulation& simulation, const glm::dvec3& at, double radius, std::uint32_t world = 0) {
  const auto grains = simulation.grains();
  return static_cast<std::uint32_t>(std::ranges::count_if(grains, [&](const GrainState& g) {
    return g.world == world && glm::distance(glm::dvec3(g.position), at) <= radius;
  }));
}

// A hole in a bed: what was within is gone and counted, the others keep their state, and fall in.
void digs_a_hole(const Solver& solver, const Options& options) {
  const glm::dvec3 at{0.0, 0.0, 0.02};
  const double radius = 0.03;
  Simulation simulation(settled_bed(solver), options);
  simulation.advance(60);
  const auto before = simulation.grains();
  const std::uint32_t there = within_ball(simulation, at, radius);
  REQUIRE(there > 5);
  CHECK(simulation.remove_grains(at, radius) == there);
  const auto after = simulation.grains();
  CHECK(after.size() == before.size() - there);
  CHECK(simulation.grain_count() == after.size());
  CHECK(simulation.removed_grains() == there);
  CHECK(within_ball(simulation, at, radius) == 0);
  std::set<std::uint32_t> left;
  for (const GrainState& g : after)
    left.insert(g.id);
  for (const GrainState& g : before)
    CHECK(left.contains(g.id) == (glm::distance(glm::dvec3(g.position), at) > radius));
  CHECK(simulation.measure().grains == after.size());
  CHECK(simulation.remove_grains(at, radius) == 0);

  Scratch scratch;
  simulation.save(scratch / "state.talus");
  simulation.advance(30);
  CHECK(within_ball(simulation, at, radius) > 0);
  CHECK(simulation.grain_count() == after.size());
  Simulation resumed(settled_bed(solver), options);
  resumed.resume(scratch / "state.talus");
  CHECK(resumed.removed_grains() == there);
  resumed.advance(30);
  CHECK(resumed.state_hash() == simulation.state_hash());
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

// A ball at the surface of a bed makes a pit, into which grains fall when it is taken away. A tenth to six tenths of
// the grains stay in the ball, by the start: of three starts together, no more than half.
void pushes_a_bed_apart(const Solver& solver, const Options& options) {
  const glm::dvec3 at{0.0, 0.0, 0.045};
  const double radius = 0.035;
  std::uint32_t all_there = 0, all_left = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Scene scene = with(scene_of(1.0 / 240, 8, 5), solver);
    scene.seed = seed;
    add_bed(scene, 0.1, 0.5, 0.01, 0.08);
    Simulation simulation(scene, options);
    simulation.advance(120);
    const std::uint32_t there = within_ball(simulation, at, 0.9 * radius);
    REQUIRE(there > 5);
    for (int i = 0; i < 24; ++i) {
      const std::uint32_t pushed = simulation.push_grains(at, radius);
      CHECK((i > 0 || pushed >= there));
      simulation.advance(2);
    }
    const std::uint32_t left = within_ball(simulation, at, 0.9 * radius);
    simulation.release();
    simulation.advance(96);
    CHECK(within_ball(simulation, at, 0.9 * radius) > left);
    CHECK(complaints(simulation) == std::vector<std::string>{});
    all_there += there;
    all_left += left;
  }
  CHECK(all_left <= all_there / 2);
}

}  // namespace

TEST_CASE("Grains are taken away and counted, with every method", "[dig]") {
  for (const Method method : {Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem}) {
    CAPTURE(static_cast<int>(method));
    digs_a_hole(default_solver(method), on_cpu);
  }
}

TEST_CASE("Grains are taken away on a device", "[device][dig]") {
  digs_a_hole(default_solver(Method::dem), on_device());
}

TEST_CASE("Passes agree with their references after grains were taken away", "[device][lockstep][dig]") {
  digs_a_hole(default_solver(Method::dem), in_lockstep());
  digs_a_hole(default_solver(Method::vts), in_lockstep());
}

TEST_CASE("A hand pushes grains out of a ball, with every method", "[dig]") {
  for (const Method method : {Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem}) {
    CAPTURE(static_cast<int>(method));
    pushes_a_bed_apart(default_solver(method), on_cpu);
  }
}

TEST_CASE("A hand pushes grains on a device", "[device][dig]") {
  pushes_a_bed_apart(default_solver(Method::dem), on_device());
}

TEST_CASE("A grain in the middle of a push goes up, and each goes as far as the ball's surface", "[dig]") {
  Scene scene = open_scene(1.0 / 240, 4, 5);
  scene.domain.gravity = glm::dvec3(0.0);
  add_points(scene, 0.01, {{0.0, 0.0, 1.0}, {0.05, 0.0, 1.0}, {0.0, -0.15, 1.0}});
  Simulation simulation(scene, on_cpu);
  CHECK(simulation.push_grains({0.0, 0.0, 1.0}, 0.1) == 2);
  simulation.advance(240);
  const auto grains = simulation.grains();
  CHECK(glm::distance(grains[0].position, vec3(0.0f, 0.0f, 1.1f)) < 1e-3f);
  CHECK(glm::distance(grains[1].position, vec3(0.1f, 0.0f, 1.0f)) < 1e-3f);
  CHECK(glm::distance(grains[2].position, vec3(0.0f, -0.15f, 1.0f)) < 1e-6f);
}

TEST_CASE("Sleepers that lose what bears them wake", "[dig]") {
  Scene scene = scene_of(1.0 / 240, 8, 5);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.solver.sleep = true;
  scene.solver.rotation = true;
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.5};
  add_points(scene, 0.01, {{0.0, 0.0, 0.01}, {0.0, 0.0, 0.03}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  REQUIRE(simulation.awake() == 0u);
  CHECK(simulation.remove_grains({0.0, 0.0, 0.01}, 0.01) == 1);
  simulation.advance(240);
  CHECK(simulation.grains().at(0).position.z == Approx(0.01f).margin(0.001));
}

TEST_CASE("A clump is taken away as a whole, fixed grains stay, and sinks count their own", "[dig]") {
  Scene scene = scene_of(1.0 / 240, 8, 5);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.solver.rotation = true;
  scene.domain.min = {-0.5, -0.5, 0.0};
  scene.domain.max = {0.5, 0.5, 1.0};
  add_points(scene, 0.02, {{0.0, 0.0, 0.5}, {0.3, 0.0, 0.5}});
  scene.grains.back().clump = pair_clump();
  add_points(scene, 0.02, {{0.0, 0.1, 0.5}, {-0.3, 0.0, 0.5}});
  scene.grains.back().fixed = true;
  add_points(scene, 0.02, {{-0.4, -0.4, 0.1}});
  scene.sinks.push_back({.name = "drain", .position = {-0.4, -0.4, 0.1}, .parts = {{BoxPart{{0.1, 0.1, 0.1}}}}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(1);
  CHECK(simulation.sink_counts() == std::vector<std::uint32_t>{1});
  const glm::dvec3 at(simulation.clumps().at(0).pose.position);
  CHECK(simulation.remove_grains(at + glm::dvec3(0.02, 0.0, 0.0), 0.01) == 0);  // a sphere's centre is no clump's
  CHECK(simulation.remove_grains(at, 0.2) == 2);
  CHECK(simulation.clumps().size() == 1);
  CHECK(simulation.grains().size() == 4);
  CHECK(simulation.removed_grains() == 2);
  CHECK(simulation.sink_counts() == std::vector<std::uint32_t>{1});
  simulation.advance(5);
  const auto report = nlohmann::json::parse(report_json(simulation, {}));
  CHECK(report["removed_grains"] == 2);
  CHECK(report["sinks"][0]["grains"] == 1);
}

TEST_CASE("Fine grains within the ball go with the coarse ones", "[dig]") {
  Scene scene = scene_of(1.0 / 240, 8, 5);
  add_bed(scene, 0.05, 0.5, 0.01, 0.05);
  scene.upsampling.emplace();
  scene.upsampling->radius_min = scene.upsampling->radius_max = 0.004;
  Simulation simulation(scene, on_cpu);
  simulation.advance(5);
  const glm::dvec3 at{0.0, 0.0, 0.025};
  const auto far = [&](const GrainState& g) { return glm::distance(glm::dvec3(g.position), at) > 0.03; };
  const auto before = simulation.fine_grains();
  const auto kept = static_cast<std::size_t>(std::ranges::count_if(before, far));
  REQUIRE(kept < before.size());
  CHECK(simulation.remove_grains(at, 0.03) > 0);
  CHECK(simulation.fine_count() == kept);
  const auto after = simulation.fine_grains();
  CHECK(after.size() == kept);
  CHECK(std::ranges::all_of(after, far));
  simulation.advance(20);
  CHECK(simulation.fine_count() == kept);
}

TEST_CASE("Of several worlds the first one is dug and pushed", "[dig][worlds]") {
  Scene scene = settled_bed(default_solver(Method::dem));
  Simulation untouched(scene, on_cpu);
  scene.worlds = 2;
  Simulation both(scene, on_cpu);
  const glm::dvec3 at{0.0, 0.0, 0.02};
  for (Simulation* s : {&untouched, &both})
    s->advance(60);
  const std::uint32_t there = within_ball(both, at, 0.03), other = within_ball(both, at, 0.03, 1);
  CHECK(both.remove_grains(at, 0.03) == there);
  CHECK(within_ball(both, at, 0.03) == 0);
  CHECK(within_ball(both, at, 0.03, 1) == other);
  const std::uint32_t around = within_ball(both, at, 0.04);
  CHECK(both.push_grains(at, 0.04) == around);
  CHECK(both.grab(at, 0.04) == around);
  both.advance(10);
  CHECK(both.removed_grains() == there);
  const std::vector<std::uint32_t> first{0};
  both.reset_worlds(first);
  CHECK(both.removed_grains() == 0);
}

TEST_CASE("A radius of a hand that is no length is refused and takes no grain", "[dig]") {
  const Variant variant = variants().front();
  Simulation simulation(settled_bed(variant.solver), on_cpu);
  const std::uint32_t before = simulation.grain_count();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double radius : {nan, infinity, -0.1}) {
    CHECK_THROWS_AS(simulation.remove_grains({}, radius), std::invalid_argument);
    CHECK_THROWS_AS(simulation.grab({}, radius), std::invalid_argument);
    CHECK_THROWS_AS(simulation.push_grains({}, radius), std::invalid_argument);
  }
  CHECK(simulation.grain_count() == before);
}
