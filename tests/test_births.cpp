// Emitters release grains only where there is room, when their time has come; what waits comes later, and is counted.
#include "engine/scene/bodies.h"
#include "scratch.h"
#include "simulate.h"
#include <numeric>

using namespace talus;
using namespace talus_tests;

namespace {

// A box that holds some 250 grains below its emitter.
Scene silo() {
  Scene scene = scene_of(1.0 / 240, 4, 4);
  scene.domain.min = {-0.05, -0.05, 0.0};
  scene.domain.max = {0.05, 0.05, 0.3};
  Emitter emitter;
  emitter.radius_min = 0.008;
  emitter.radius_max = 0.01;
  emitter.shape = BoxFill{{-0.05, -0.05, 0.16}, {0.05, 0.05, 0.22}};
  emitter.velocity = {0.0, 0.0, -1.0};
  emitter.rate = 600.0;
  emitter.stop = 1.5;
  scene.emitters.push_back(emitter);
  return scene;
}

// Grains that are planned to have come up to a step.
std::uint32_t due(const Scene& scene, std::uint64_t step) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      populate(scene).scheduled, [&](const ScheduledGrain& timed) { return timed.step <= step; }));
}

SinkSpec drain() {
  return {.name = "drain",
          .material = {},
          .position = {0.0, 0.0, 0.02},
          .rotation = {},
          .parts = {{BoxPart{{0.1, 0.1, 0.04}}}}};
}

// The grains are numbered without a gap where one emitter releases them in order.
void are_in_order(Simulation& simulation) {
  const auto grains = simulation.grains();
  const EmitterCounts counts = simulation.emitter_counts()[0];
  CHECK(simulation.grains_born() == counts.born);
  CHECK(grains.size() == simulation.grain_count());
  CHECK((grains.empty() || grains.back().id == counts.born - 1));
}

// Of grains born in the last step with all others, in shares of both radii.
double overlap_of_born(Simulation& simulation, std::uint32_t before) {
  double deepest = 0.0;
  const auto grains = simulation.grains();
  for (const GrainState& born : grains)
    for (const GrainState& other : grains)
      if (born.id >= before && other.id != born.id)
        deepest = std::max(deepest, 1.0 - static_cast<double>(glm::length(born.position - other.position) /
                                                              (born.radius + other.radius)));
  return deepest;
}

void fills_up(const Options& options, const Variant& variant) {
  CAPTURE(variant.name);
  const Scene scene = with(silo(), variant.solver);
  Simulation simulation(scene, options);
  simulation.advance(60);
  std::uint32_t born = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t before = simulation.grains_born();
    simulation.advance(1);
    REQUIRE(overlap_of_born(simulation, before) < 2e-3);
    born += simulation.grains_born() - before;
  }
  CHECK(born > 20);
  simulation.advance(120);
  const EmitterCounts full = simulation.emitter_counts()[0];
  CHECK(full.born + full.waiting == due(scene, 240));
  CHECK(full.born > 150);
  CHECK(full.waiting > 200);
  CHECK(full.given_up == 0);
  CHECK(simulation.measure().penetration_max < 0.25);
  CHECK(simulation.measure().height < 0.24);
  are_in_order(simulation);
  // Past its stop nothing comes any more.
  simulation.advance(130);
  const EmitterCounts after = simulation.emitter_counts()[0];
  CHECK(after.waiting == 0);
  CHECK(after.born + after.given_up == due(scene, 1000));
  CHECK(after.born - full.born < 30);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

// A stream that is too strong for what a drain takes away, and stops in time.
void drains(const Options& options) {
  Scene scene = silo();
  scene.emitters[0].count = 400;
  scene.emitters[0].stop = 100.0;
  scene.emitters[0].rate = 2000.0;
  scene.emitters[0].shape = BoxFill{{-0.05, -0.05, 0.06}, {0.05, 0.05, 0.22}};
  scene.sinks.push_back(drain());
  Simulation simulation(scene, options);
  std::uint32_t most = 0;
  for (int i = 0; i < 40; ++i) {
    simulation.advance(6);
    most = std::max(most, simulation.emitter_counts()[0].waiting);
  }
  simulation.advance(240);
  CHECK(most > 0);
  CHECK(simulation.emitter_counts()[0].born == 400);
  CHECK(simulation.emitter_counts()[0].waiting == 0);
  CHECK(simulation.sink_counts()[0] == 400);
  CHECK(simulation.grain_count() == 0);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("A silo that is full up to its emitter stops the stream", "[births][slow]") {
  fills_up(on_cpu, each_method());
}
TEST_CASE("A silo that is full up to its emitter stops the stream on the device", "[device][births]") {
  fills_up(on_device(), variants().front());
}
TEST_CASE("Grains that wait for room come when a sink has made it", "[births]") {
  drains(on_cpu);
}
TEST_CASE("Grains that wait for room come when a sink has made it, on the device", "[device][births]") {
  drains(on_device());
}

TEST_CASE("A body keeps grains from being born in it", "[births]") {
  Scene scene = silo();
  scene.emitters[0].rate = 100.0;
  scene.bodies.push_back(body_of("block", {{BoxPart{{0.04, 0.2, 0.2}}}}, {0.0, 0.0, 0.2}));
  Simulation simulation(scene, on_cpu);
  const Solid block = solid_of(scene.bodies[0].parts, {scene.bodies[0].position, {1.0, 0.0, 0.0, 0.0}});
  std::uint32_t before = 0;
  for (int i = 0; i < 120; ++i) {
    simulation.advance(1);
    for (const GrainState& g : simulation.grains())
      if (g.id >= before)
        REQUIRE(sample(block, glm::dvec3(g.position)).distance > 0.99 * static_cast<double>(g.radius));
    before = simulation.grains_born();
  }
  CHECK(before > 40);  // beside the block
  CHECK(before + simulation.emitter_counts()[0].waiting == due(scene, 120));
}

TEST_CASE("Births that wait give the same bits with any number of threads and after a checkpoint", "[births][slow]") {
  Scratch scratch;
  Scene scene = silo();
  scene.emitters[0].rate = 900.0;
  scene.sinks.push_back(drain());
  scene.sinks[0].parts = {{BoxPart{{0.06, 0.06, 0.04}}}};
  Simulation whole(scene, on_cpu), single(scene, {.device = "cpu", .threads = 1}), first(scene, on_cpu),
      second(scene, on_cpu);
  first.advance(150);
  CHECK(first.emitter_counts()[0].waiting > 0);
  CHECK(first.sink_counts()[0] > 0);
  first.save(scratch / "state.talus");
  second.resume(scratch / "state.talus");
  CHECK(second.state_hash() == first.state_hash());
  second.advance(40);
  whole.advance(190);
  for (int i = 0; i < 190; ++i)
    single.advance(1);
  CHECK(whole.emitter_counts()[0].born > first.emitter_counts()[0].born);
  CHECK(second.state_hash() == whole.state_hash());
  CHECK(single.state_hash() == whole.state_hash());
}

TEST_CASE("Births that wait in one world are its own affair", "[births][slow]") {
  Scene scene = silo();
  scene.solver.incremental_rebuild = false;
  Simulation alone(scene, on_cpu);
  scene.worlds = 2;
  Simulation both(scene, {.device = "cpu", .shelves = 1});
  both.advance(170);
  both.save_world(0, 0);
  const std::uint32_t second = 1;
  both.reset_worlds(std::span(&second, 1), std::span(&std::as_const(scene.seed), 1));
  both.advance(150);
  alone.advance(150);
  CHECK(alone.emitter_counts()[0].waiting > 0);
  CHECK(both.state_hash(1) == alone.state_hash());
  CHECK(both.emitter_counts()[1].born == alone.emitter_counts()[0].born);
  CHECK(both.emitter_counts()[1].waiting == alone.emitter_counts()[0].waiting);
  both.restore_world(0, std::span(&second, 1));
  alone.advance(20);
  CHECK(both.state_hash(1) == alone.state_hash());
  const std::uint32_t zero = 0;
  both.fork_world(1, std::span(&zero, 1));
  both.advance(30);
  alone.advance(30);
  CHECK(both.state_hash(0) == alone.state_hash());
}

TEST_CASE("Every pass agrees with its reference where births wait", "[device][births][lockstep]") {
  Scene scene = silo();
  scene.emitters[0].shape = BoxFill{{-0.05, -0.05, 0.0}, {0.05, 0.05, 0.08}};
  scene.emitters[0].rate = 4000.0;
  scene.emitters.push_back(scene.emitters[0]);
  scene.emitters[1].shape = SphereFill{{0.0, 0.0, 0.08}, 0.03};
  scene.bodies.push_back(body_of("ball", {{SpherePart{0.02}}}, {0.02, 0.0, 0.05}));
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(12));
  for (const EmitterCounts& counts : simulation.emitter_counts()) {
    CHECK(counts.born > 0);
    CHECK(counts.waiting > 0);
  }
}
