// What a live view asks of a simulation: steps without waiting.
#include "engine/gpu/graph.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Grains of an emitter on a body that moves, in a world that some leave.
Scene busy() {
  Scene scene = pouring(2, 3, 2.0);
  scene.bodies = {body_of("table", {{BoxPart{{0.3, 0.3, 0.02}}}}, {0.0, 0.0, 0.15})};
  scene.bodies[0].velocity = {0.02, 0.0, 0.0};
  scene.bodies[0].spin = {0.0, 0.0, 3.0};
  scene.sinks.push_back({.name = "drain", .position = {0.0, 0.0, 0.05}, .parts = {{BoxPart{{2.0, 2.0, 0.1}}}}});
  return scene;
}

void starts_as_it_advances(const Scene& scene, const Options& options) {
  Simulation waiting(scene, options), live(scene, options);
  for (int i = 0; i < 10; ++i) {
    waiting.advance(5);
    live.start(5);
    CHECK(live.under_way());
    live.finish();
    CHECK_FALSE(live.under_way());
  }
  CHECK(live.step() == 50);
  CHECK(live.grain_count() == waiting.grain_count());
  CHECK(live.load_history().size() == waiting.load_history().size());
  CHECK(live.body_loads()[0].force == waiting.body_loads()[0].force);
  CHECK(live.state_hash() == waiting.state_hash());
  CHECK(complaints(live) == std::vector<std::string>{});
}

// No room for contacts at first: the steps stop in their midst.
void grows_at_the_finish(const Options& options) {
  Options narrow = options;
  narrow.contact_slots = 16;
  Simulation wide(box_of(100), options), live(box_of(100), narrow);
  wide.advance(40);
  live.start(40);
  live.finish();
  CHECK(live.step() == 40);
  CHECK(live.state_hash() == wide.state_hash());
}

void falls_back_at_the_finish(const Options& options) {
  Scene scene = box_of(20);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  Simulation simulation(scene, options);
  simulation.advance(5);
  const std::uint64_t before = simulation.state_hash();
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  simulation.start(3);
  REQUIRE_THROWS_AS(simulation.finish(), StateError);
  CHECK_FALSE(simulation.under_way());
  CHECK(simulation.step() == 5);
  CHECK(simulation.state_hash() == before);
}

template <class T> std::vector<T> on_the_device(Simulation& simulation, gpu::Buffer& buffer, std::size_t count) {
  gpu::Graph graph(*simulation.gpu_device());
  std::vector<T> data(count);
  graph.download(buffer, std::as_writable_bytes(std::span(data)));
  return data;
}

}  // namespace

TEST_CASE("Steps that are not waited for have the same bits", "[live]") {
  starts_as_it_advances(busy(), on_cpu);
}

TEST_CASE("Steps that are not waited for have the same bits on a device", "[device][live]") {
  starts_as_it_advances(busy(), on_device());
}

TEST_CASE("Slots that run out in steps not waited for grow at the finish", "[live]") {
  grows_at_the_finish(on_cpu);
}

TEST_CASE("An invalid state on the way is found at the finish", "[live]") {
  falls_back_at_the_finish(on_cpu);
}

TEST_CASE("Halts in steps not waited for are dealt with on a device", "[device][live]") {
  grows_at_the_finish(on_device());
  falls_back_at_the_finish(on_device());
}

TEST_CASE("More steps than a submission holds are done at the finish", "[live]") {
  Simulation simulation(box_of(5), on_cpu), other(box_of(5), on_cpu);
  simulation.start(300);
  while (!simulation.ready())
    ;
  simulation.finish();
  other.advance(300);
  CHECK(simulation.step() == 300);
  CHECK(simulation.state_hash() == other.state_hash());
}

TEST_CASE("What steps under way leave to draw is that of their end", "[device][live]") {
  Simulation live(busy(), on_device());
  live.advance(50);
  const std::uint32_t before = live.grain_places();
  live.start(20);
  const std::uint32_t places = live.grain_places();
  CHECK(places > before);
  const auto bodies = on_the_device<Body>(live, *live.body_buffer(), 1);
  const auto grains = on_the_device<Grain>(live, *live.grain_buffer(), places);
  live.finish();
  CHECK(live.grain_places() == places);
  const BodyState state = live.body_state(0);
  CHECK(glm::distance(glm::dvec3(bodies[0].motion.position), state.pose.position) < 1e-6);
  const auto after = read_field<Grain>(live.executor(), FieldId::grains, places);
  CHECK(std::ranges::equal(std::as_bytes(std::span(grains)), std::as_bytes(std::span(after))));
  CHECK(std::ranges::count_if(grains, [](const Grain& g) { return g.position.w > 0.0f; }) == live.grain_count());
  CHECK(complaints(live) == std::vector<std::string>{});
}

TEST_CASE("While steps are under way nothing else may be asked", "[live]") {
  Simulation simulation(box_of(50), on_cpu);
  CHECK_THROWS_AS(simulation.finish(), std::logic_error);
  CHECK(simulation.ready());
  simulation.start(2);
  CHECK_THROWS_AS(simulation.advance(1), std::logic_error);
  CHECK_THROWS_AS(simulation.start(1), std::logic_error);
  CHECK_THROWS_AS(simulation.grains(), std::logic_error);
  CHECK_THROWS_AS(simulation.measure(), std::logic_error);
  CHECK_THROWS_AS(simulation.save("nowhere"), std::logic_error);
  simulation.finish();
  CHECK(simulation.step() == 2);
  simulation.start(100);  // its destructor waits
}
