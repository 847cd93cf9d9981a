// Substeps in strides (core/step.h), which devices take where nobody watches, beside substeps that each may renew
// lists, which they take in a live view: the same bits.
#include "engine/core/executor.h"
#include "engine/simulation/pace.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

double calls_of(const Simulation& simulation, std::string_view pass) {
  for (const PassTime& time : simulation.pass_times())
    if (time.name == pass)
      return static_cast<double>(time.calls);
  return 0.0;
}

// Grains that come to rest, so that lists hold for many substeps.
Scene settling() {
  Scene scene = box_of(60);
  scene.solver = {};
  scene.solver.method = Method::dem;
  scene.solver.substeps = 6;
  return scene;
}

// A blade that is driven, and a ball that grains carry.
Scene with_bodies() {
  Scene scene = settling();
  scene.bodies = {body_of("blade", {{BoxPart{{0.004, 0.02, 0.02}}}}, {0.01, 0.02, 0.01}),
                  body_of("ball", {{SpherePart{0.008}}}, {0.025, 0.02, 0.07})};
  scene.bodies[0].velocity = {0.02, 0.0, 0.0};
  scene.bodies[0].spin = {0.0, 0.0, 0.5};
  scene.bodies[1].density = 500.0;
  return scene;
}

// Grains that fall, at some 3 m/s, onto others that have come to rest: the last one is released in step 122.
Scene with_late_grains() {
  Scene scene = settling();
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = 0.004;
  emitter.velocity = {0.0, 0.0, -3.0};
  emitter.shape = BoxFill{{0.01, 0.01, 0.3}, {0.03, 0.03, 0.31}};
  emitter.rate = 1200.0;
  emitter.start = 120.0 * scene.dt;
  emitter.stop = 122.0 * scene.dt;
  scene.emitters.push_back(emitter);
  return scene;
}

// As it advances, in strides, and as a live view goes on, whose end of a step has bodies that are drawn.
void has_the_same_bits(const Scene& scene, const Options& options) {
  Simulation striding(scene, options), live(scene, options);
  for (int i = 0; i < 5; ++i) {
    INFO(i);
    striding.advance(12);
    live.start(12);
    live.finish();
    REQUIRE(striding.step() == live.step());
    CHECK(striding.state_hash() == live.state_hash());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      CHECK(striding.body_loads()[b].force == live.body_loads()[b].force);
      CHECK(striding.body_loads()[b].torque == live.body_loads()[b].torque);
    }
  }
  CHECK(striding.load_history().size() == live.load_history().size());
  CHECK(calls_of(live, "grain_return") == 0.0);
  CHECK(calls_of(striding, "grain_return") > 0.0);
  CHECK(calls_of(striding, "contact_fill") < calls_of(striding, "dem"));
  CHECK(complaints(striding) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("Strides have the bits of single substeps", "[device][strides]") {
  const Options& options = on_one_device();
  SECTION("grains that come to rest") {
    has_the_same_bits(settling(), options);
  }
  SECTION("grains that sleep") {
    Scene scene = settling();
    scene.materials[0].rolling_friction = 0.2;
    has_the_same_bits(scene, options);
  }
  SECTION("grains that do not rotate") {
    Scene scene = settling();
    scene.solver.rotation = false;
    has_the_same_bits(scene, options);
  }
  SECTION("bodies that are driven and that are carried") {
    has_the_same_bits(with_bodies(), options);
  }
  SECTION("several worlds") {
    Scene scene = with_bodies();
    scene.worlds = 2;
    has_the_same_bits(scene, options);
  }
}

TEST_CASE("A device whose slots run out within a stride goes on with the same bits", "[device][strides]") {
  Options narrow = on_one_device();
  narrow.contact_slots = 16;
  Simulation wide(settling(), on_one_device()), grown(settling(), narrow);
  wide.advance(60);
  grown.advance(60);
  CHECK(calls_of(grown, "grain_return") > 0.0);
  CHECK(grown.step() == 60);
  CHECK(grown.state_hash() == wide.state_hash());
}

TEST_CASE("Strides after the last grain of an emitter have the grains that were released", "[device][strides]") {
  const Scene scene = with_late_grains();
  Simulation striding(scene, on_one_device()), live(scene, on_one_device());
  for (const std::uint64_t steps : {119, 30, 30}) {
    INFO(steps);
    striding.advance(steps);
    live.start(steps);
    live.finish();
    REQUIRE(striding.step() == live.step());
    CHECK(striding.state_hash() == live.state_hash());
  }
  CHECK(striding.grain_count() > 60);
  CHECK(calls_of(striding, "grain_return") > 0.0);
}

TEST_CASE("A state that becomes invalid within a stride is that of the batch's start again", "[device][strides]") {
  Scene scene = settling();
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  Simulation simulation(scene, on_one_device());
  simulation.advance(40);
  CHECK(calls_of(simulation, "grain_return") > 0.0);
  const std::uint64_t before = simulation.state_hash();
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  REQUIRE_THROWS_AS(simulation.advance(1), StateError);
  CHECK(simulation.step() == 40);
  CHECK(simulation.state_hash() == before);
}

TEST_CASE("Strides are as long as lists hold", "[strides]") {
  const auto after = [](uint substeps, uint rebuilds, uint incremental) {
    Status status{};
    status.substeps_done = substeps;
    status.lists.rebuilds = rebuilds;
    status.lists.incremental_rebuilds = incremental;
    return status;
  };
  StrideLength length;
  CHECK(length.waiting(100) == 0);  // nothing is known yet
  length.measure({}, after(40, 2, 6));
  CHECK(length.waiting(100) == 5);
  CHECK(length.strides_for(40, 5) == 8);
  CHECK(length.strides_for(40, 1) == 24);  // lists expire in the first substep of every third one
  CHECK(length.waiting(3) == 2);
  CHECK(length.waiting(1) == 0);
  length.measure(after(40, 2, 6), after(40, 2, 6));  // tells nothing
  CHECK(length.waiting(100) == 5);
  length.measure(after(40, 2, 6), after(1064, 1026, 6));  // the latest counts most
  CHECK(length.waiting(100) == 0);

  StrideLength calm;
  calm.measure({}, after(160, 0, 0));
  CHECK(calm.waiting(100) == 15);
  CHECK(calm.strides_for(1600, 15) == 100);
}
