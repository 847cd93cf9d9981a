// Worlds side by side in one simulation: each goes on as if it were alone.
#include "engine/io/report.h"
#include "engine/simulation/checkpoint_file.h"
#include "simulate.h"
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

using namespace talus;
using namespace talus_tests;

namespace {

// Grains of two sizes that rain on a turning paddle, a loose crate, a tilted board, a sheet, a brick of particles, and
// into a hole in the middle; for some steps more of them pour from above. Where they start depends on the seed.
Scene yard(Solver solver) {
  Scene scene = with(scene_of(1.0 / 240, 4, 6), solver);
  scene.domain.min = {-0.15, -0.1, 0.0};
  scene.domain.max = {0.15, 0.1, 0.4};
  scene.domain.axis = {Axis::wall, Axis::periodic, Axis::wall};
  GrainGroup group;
  group.radius_min = 0.006;
  group.radius_max = 0.009;
  group.shape = BoxFill{{-0.14, -0.09, 0.16}, {0.14, 0.09, 0.34}};
  group.count = 260;
  scene.grains.push_back(group);
  BodySpec paddle = body_of("paddle", {{BoxPart{{0.2, 0.02, 0.04}}}}, {0.0, 0.0, 0.06});
  paddle.spin = {0.0, 0.0, 6.0};
  BodySpec crate = body_of("crate", {{BoxPart{{0.05, 0.05, 0.05}}}}, {0.08, 0.05, 0.12});
  crate.density = 900.0;
  const bool lists = solver.detection == Detection::lists;  // without them no body is dynamic
  if (!lists)
    crate.density.reset();
  ClothSpec sheet;
  sheet.name = "sheet";
  sheet.sheet = ClothGrid{{0.1, 0.08}, {6, 5}};  // vertices of a world fill no workgroup
  sheet.position = {-0.05, 0.04, 0.2};
  sheet.pins = {{-0.05, -0.04, 0.0}, {-0.05, 0.04, 0.0}};
  sheet.thickness = 0.003;
  if (lists)
    scene.cloths.push_back(sheet);
  scene.bodies = {paddle, crate, body_of("board", {{BoxPart{{0.1, 0.1, 0.004}}}}, {-0.09, 0.0, 0.1}, {0.0, 30.0, 0.0})};
  SinkSpec hole;
  hole.name = "hole";
  hole.parts = {{SpherePart{0.04}}};
  scene.sinks.push_back(hole);
  ShapeSpec brick;
  brick.name = "brick";
  brick.grains.radius_min = brick.grains.radius_max = 0.006;
  brick.grains.sampling = Sampling::lattice;
  brick.grains.spacing = 1.0;
  brick.grains.shape = BoxFill{{0.04, -0.08, 0.1}, {0.1, -0.04, 0.13}};
  brick.grains.velocity = {0.0, 0.0, -1.0};
  scene.shapes.push_back(brick);
  Emitter spout;
  spout.radius_min = 0.006;
  spout.radius_max = 0.01;
  spout.velocity = {0.0, 0.0, -1.5};
  spout.shape = CylinderFill{{0.0, 0.0, 0.35}, 0.09, 0.04};
  spout.rate = 1000.0;
  spout.start = 0.012;
  spout.stop = 0.04;
  scene.emitters.push_back(spout);
  return scene;
}

Scene with_worlds(Scene scene, std::uint32_t worlds, std::uint64_t seed = 1) {
  scene.worlds = worlds;
  scene.seed = seed;
  return scene;
}

using List = std::initializer_list<std::uint32_t>;
std::span<const std::uint32_t> span_of(const List& list) {
  return {list.begin(), list.size()};
}

// The hash of a world that nobody shares a device with. Its lists are built whole, as several worlds have it.
std::uint64_t alone(Scene scene, const Options& options, std::uint64_t seed, std::uint64_t steps) {
  scene.solver.incremental_rebuild = false;
  Simulation simulation(with_worlds(scene, 1, seed), options);
  simulation.advance(steps);
  return simulation.state_hash(0);
}

}  // namespace

TEST_CASE("A world among others goes on as it does alone", "[worlds]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  const Scene scene = yard(variant.solver);
  std::array<std::uint64_t, 3> lone{};
  for (std::uint32_t w = 0; w < 3; ++w)
    lone[w] = alone(scene, on_cpu, 5 + w, 20);
  for (const std::uint32_t slots : {0u, 1u}) {  // 1: they run out, and worlds are laid out anew
    Options options = on_cpu;
    options.contact_slots = slots;
    Simulation simulation(with_worlds(scene, 3, 5), options);
    simulation.advance(20);
    for (std::uint32_t w = 0; w < 3; ++w)
      CHECK(simulation.state_hash(w) == lone[w]);
    CHECK(simulation.state_hash(0) != simulation.state_hash(1));
  }
}

TEST_CASE("A world among others goes on as it does alone, on a device", "[device][worlds]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const Scene scene = yard(variant.solver);
  const Options options = on_one_device();
  Options scarce = options;
  scarce.contact_slots = 600;  // they run out
  Simulation simulation(with_worlds(scene, 3, 5), scarce);
  simulation.advance(12);
  CHECK(simulation.state_hash(1) == alone(scene, options, 6, 12));
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("A world that is reset starts anew, and the others do not notice", "[worlds]") {
  const Scene scene = yard(default_solver(Method::dem));
  Simulation simulation(with_worlds(scene, 3), on_cpu), other(with_worlds(scene, 3), on_cpu);
  simulation.drive_body(simulation.body("paddle", 1), {{0.0, 0.0, 0.1}, {}});
  simulation.advance(17);
  simulation.reset_worlds(span_of({1}));
  CHECK(simulation.time(0) == Approx(17.0 / 240));
  CHECK(simulation.time(1) == 0.0);
  simulation.advance(20);
  other.advance(37);
  CHECK(simulation.state_hash(1) == alone(scene, on_cpu, 2, 20));
  CHECK(simulation.state_hash(0) == other.state_hash(0));
  CHECK(simulation.state_hash(2) == other.state_hash(2));
  // With a seed of its own, and several at once.
  const std::array<std::uint64_t, 2> seeds{77, 78};
  simulation.reset_worlds(span_of({2, 0}), seeds);
  simulation.advance(20);
  CHECK(simulation.state_hash(2) == alone(scene, on_cpu, 77, 20));
  CHECK(simulation.state_hash(0) == alone(scene, on_cpu, 78, 20));
  CHECK(simulation.state_hash(1) == alone(scene, on_cpu, 2, 40));
}

TEST_CASE("A seed that makes more grains does not get among those that stand for bodies", "[worlds]") {
  const Scene scene = parse_scene(R"(
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.3]
[[material]]
preset = "sand"
[[grains]]
material = "sand"
radius = 0.01
fill.box = { min = [-0.2, -0.2, 0.2], max = [0.2, 0.2, 0.3] }
[[body]]
name = "gear"
material = "sand"
position = [0, 0, 0.1]
gear = { module = 0.01, teeth = 12, width = 0.05, as = "particles" }
)",
                                  "skin");
  Options options = on_cpu;
  options.shelves = 1;
  Simulation simulation(scene, options);
  const std::uint32_t most = simulation.grain_count();
  std::uint32_t refused = 0, others = 0;
  for (std::uint64_t seed = 2; seed < 20; ++seed) {
    const std::array seeds{seed};
    Scene other = scene;
    other.seed = seed;
    const std::size_t wanted = populate(other).initial.size();
    if (wanted > most) {
      CHECK_THROWS_WITH(simulation.reset_worlds(span_of({0}), seeds), Catch::Contains("has room for"));
      ++refused;
    } else {
      simulation.reset_worlds(span_of({0}), seeds);
      CHECK(simulation.grain_count() == wanted);
      CHECK(simulation.grains().size() == wanted);
      others += wanted < most;
    }
  }
  CHECK(refused > 0);
  CHECK(others > 0);
}

TEST_CASE("Worlds with as many grains as their seeds make have those that are alike and those that are born under the "
          "numbers that they have alone",
          "[worlds]") {
  const Scene scene = parse_scene(R"(
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.4]
[[material]]
preset = "sand"
[[grains]]
material = "sand"
radius = 0.012
fill.box = { min = [-0.2, -0.2, 0.2], max = [0.2, 0.2, 0.25] }
[[emitter]]
material = "sand"
radius = 0.01
shape.cylinder = { base = [0, 0, 0.3], radius = 0.1, height = 0.04 }
velocity = [0, 0, -1]
rate = 800
stop = 0.03
[[body]]
name = "gear"
material = "sand"
position = [0, 0, 0.1]
gear = { module = 0.01, teeth = 12, width = 0.05, as = "particles" }
)",
                                  "spout");
  Simulation simulation(with_worlds(scene, 3, 5), on_cpu);
  simulation.advance(8);
  std::array<std::uint32_t, 3> grains{};
  for (std::uint32_t w = 0; w < 3; ++w) {
    grains[w] = simulation.measure(w).grains;
    CHECK(simulation.state_hash(w) == alone(scene, on_cpu, 5 + w, 8));
  }
  CHECK(!(grains[0] == grains[1] && grains[1] == grains[2]));
  CHECK(simulation.grain_count() == grains[0] + grains[1] + grains[2]);
}

TEST_CASE("A checkpoint holds what worlds that were reset pour, and how many grains they started with", "[worlds]") {
  const Scene scene = with_worlds(yard(default_solver(Method::dem)), 2);
  Simulation simulation(scene, on_cpu), resumed(scene, on_cpu);
  const std::uint64_t seed = 77;
  simulation.reset_worlds(span_of({1}), std::span(&seed, 1));
  simulation.advance(5);
  resumed.resume(simulation.checkpoint());
  resumed.advance(15);
  CHECK(resumed.state_hash(1) == alone(scene, on_cpu, 77, 20));
  CHECK(resumed.grain_count() == resumed.grains().size());
}

TEST_CASE("A fork goes on as what it was forked from", "[device][worlds]") {
  const Method method = GENERATE(Method::dem, Method::vts);
  const bool cpu = GENERATE(true, false);
  CAPTURE(static_cast<int>(method), cpu);
  const Scene scene = yard(default_solver(method));
  const std::uint64_t steps = cpu ? 25 : 8;
  Simulation simulation(with_worlds(scene, 4), cpu ? on_cpu : on_device());
  simulation.advance(steps);
  simulation.drive_body(simulation.body("paddle", 2), {{0.05, 0.0, 0.0}, {0.0, 0.0, -9.0}});
  const std::uint64_t untouched = simulation.state_hash(1);
  simulation.fork_world(2, span_of({0, 3}));
  CHECK(simulation.state_hash(1) == untouched);
  CHECK(simulation.grains().size() == simulation.grain_count());
  simulation.advance(steps);
  CHECK(simulation.state_hash(0) == simulation.state_hash(2));
  CHECK(simulation.state_hash(3) == simulation.state_hash(2));
  CHECK(simulation.state_hash(1) != simulation.state_hash(2));
  const std::uint32_t bodies = static_cast<std::uint32_t>(scene.bodies.size());
  for (std::uint32_t b = 0; b < bodies; ++b) {
    CHECK(simulation.body_state(b).pose.position == simulation.body_state(2 * bodies + b).pose.position);
    CHECK(simulation.body_loads()[b].force == simulation.body_loads()[2 * bodies + b].force);
  }
}

TEST_CASE("A state on a shelf can be gone back to, by any world and as often as one likes", "[device][worlds]") {
  const std::uint32_t worlds = GENERATE(1, 3);
  const bool cpu = GENERATE(true, false);
  CAPTURE(worlds, cpu);
  const std::uint64_t steps = cpu ? 20 : 6;
  Options options = cpu ? on_cpu : on_device();
  options.shelves = 2;
  options.contact_slots = 600;  // they run out with the state on the shelf
  Simulation simulation(with_worlds(yard(default_solver(Method::dem)), worlds), options);
  simulation.advance(2);
  simulation.drive_body(simulation.body("paddle"), {{0.0, 0.0, 0.1}, {}});
  simulation.save_world(0, 1);
  simulation.save_world(worlds - 1, 0);
  const double time = simulation.time(0);
  simulation.advance(steps);
  const std::uint64_t after = simulation.state_hash(0), last = simulation.state_hash(worlds - 1);
  simulation.restore_world(1, span_of({worlds - 1}));
  CHECK(simulation.time(worlds - 1) == Approx(time));
  simulation.advance(steps);
  CHECK(simulation.state_hash(worlds - 1) == after);
  if (worlds > 1)
    simulation.restore_world(0, span_of({0, 1}));
  else
    simulation.restore_world(0, span_of({0}));
  simulation.advance(steps);
  CHECK(simulation.state_hash(0) == last);
}

TEST_CASE("Bodies of each world are told apart", "[worlds]") {
  Simulation simulation(with_worlds(yard(default_solver(Method::dem)), 3), on_cpu);
  const std::uint32_t second = simulation.body("paddle", 1);
  CHECK(second == 3);
  simulation.drive_body(second, {{0.0, 0.0, 0.2}, {}});
  simulation.advance(24);
  CHECK(simulation.body_state(simulation.body("paddle", 0)).pose.position.z == Approx(0.06));
  CHECK(simulation.body_state(second).pose.position.z == Approx(0.06 + 0.2 * 0.1));
  CHECK(simulation.body_loads().size() == 9);
  CHECK(simulation.load_history().size() == 24 * 9);
  CHECK(simulation.sink_counts().size() == 3);
  CHECK(simulation.shape("brick", 2) == 2);
  CHECK(simulation.shape_state(2).pose.position.z < 0.1);  // it has fallen
  CHECK(simulation.cloth("sheet", 2) == 2);
  CHECK(simulation.cloth_state(0).positions != simulation.cloth_state(2).positions);
  CHECK_THROWS_AS(simulation.cloth_state(3), std::out_of_range);
  std::uint32_t grains = 0;
  for (std::uint32_t w = 0; w < 3; ++w)
    grains += simulation.measure(w).grains;
  CHECK(grains == simulation.measure().grains);
  CHECK(grains == simulation.grain_count());
}

TEST_CASE("A body is placed at once, among grains that lie still too", "[worlds]") {
  Scene scene = yard(default_solver(Method::dem));
  for (Material& material : scene.materials)
    material.rolling_friction = 0.1;
  scene.bodies.resize(1);
  scene.bodies[0].spin = {};
  scene.sinks.clear();
  scene.shapes.clear();
  scene.cloths.clear();
  scene.emitters.clear();
  Simulation simulation(with_worlds(scene, 2), on_cpu);
  simulation.advance(480);
  REQUIRE(simulation.measure().speed_max < 0.01);
  const std::uint64_t rebuilds = simulation.rebuilds();
  simulation.advance(4);
  REQUIRE(simulation.rebuilds() == rebuilds);  // lists are old
  const std::vector<GrainState> grains = simulation.grains();
  const auto lowest = std::ranges::min_element(
      grains, {}, [](const GrainState& g) { return g.world == 1 ? g.position.z : std::numeric_limits<float>::max(); });
  const Pose at{glm::dvec3(lowest->position), glm::dquat(1.0, 0.0, 0.0, 0.0)};
  simulation.place_body(1, at);
  CHECK(simulation.body_state(1).pose.position == at.position);
  CHECK(simulation.body_state(1).twist.velocity == glm::dvec3(0.0));
  const auto moved = [&](std::uint32_t world) {  // m, the furthest
    const std::vector<GrainState> now = simulation.grains();
    float most = 0.0f;
    for (std::size_t i = 0; i < now.size(); ++i)
      most = std::max(most, now[i].world == world ? glm::distance(now[i].position, grains[i].position) : 0.0f);
    return most;
  };
  CHECK(moved(0) == 0.0f);
  CHECK(moved(1) > lowest->radius);  // out of the body, and not thrown
  simulation.advance(1);
  CHECK(simulation.rebuilds() > rebuilds);
  CHECK(simulation.measure(0).speed_max < 0.01);
  CHECK(simulation.measure(1).speed_max < 0.2);
  CHECK(simulation.body_state(1).pose.position == at.position);
  CHECK_THROWS_AS(simulation.place_body(2, at), std::invalid_argument);
}

TEST_CASE("Reports and metrics tell the bodies and sinks of worlds apart", "[worlds]") {
  Simulation simulation(with_worlds(yard(default_solver(Method::dem)), 3), on_cpu);
  simulation.advance(1);
  const nlohmann::json report = nlohmann::json::parse(report_json(simulation, {}));
  CHECK(report["bodies"].size() == 9);
  CHECK(report["bodies"].back()["name"] == "board of world 2");
  CHECK(report["cloth"].size() == 3);
  CHECK(report["cloth"].back()["name"] == "sheet of world 2");
  CHECK(report["sinks"].size() == 3);
  CHECK(report["sinks"].back()["name"] == "hole of world 2");
  const std::string header = metrics_header(simulation.scene());
  CHECK(header.find(",crate of world 1.force_x,") != std::string::npos);
  CHECK(header.find(",sheet of world 1.strain_max,") != std::string::npos);
  CHECK(std::ranges::count(header, ',') == std::ranges::count(metrics_row(simulation), ','));
}

TEST_CASE("A checkpoint holds all worlds, each with its time", "[worlds]") {
  const Scene scene = with_worlds(yard(default_solver(Method::dem)), 2);
  Simulation simulation(scene, on_cpu), resumed(scene, on_cpu);
  simulation.advance(9);
  simulation.reset_worlds(span_of({1}));
  simulation.move_body(simulation.body("paddle", 1), {{0.0, 0.0, 0.1}});
  simulation.advance(5);
  resumed.resume(simulation.checkpoint());
  CHECK(resumed.time(1) == Approx(5.0 / 240));
  simulation.advance(10);
  resumed.advance(10);
  CHECK(resumed.state_hash() == simulation.state_hash());
}

TEST_CASE("What worlds cannot do is said", "[worlds]") {
  Scene scene = yard(default_solver(Method::dem));
  scene.upsampling.emplace();
  CHECK_THROWS_WITH(Simulation(with_worlds(scene, 2), on_cpu), Catch::Contains("upsampling"));
  Simulation simulation(with_worlds(yard(default_solver(Method::dem)), 2), on_cpu);
  Scene changed = simulation.scene();
  changed.emitters[0].rate = 10.0;
  CHECK_THROWS_WITH(simulation.change(changed), Catch::Contains("emitters"));
  CHECK_THROWS_AS(simulation.reset_worlds(span_of({2})), std::invalid_argument);
  CHECK_THROWS_AS(simulation.fork_world(0, span_of({1, 5})), std::invalid_argument);
  CHECK_THROWS_AS(simulation.body("paddle", 2), std::invalid_argument);
  CHECK_THROWS_AS(simulation.body_state(6), std::invalid_argument);
  CHECK_THROWS_AS(simulation.save_world(0, 0), std::invalid_argument);  // no shelves were asked for
  Options options = on_cpu;
  options.shelves = 1;
  Simulation shelved(yard(default_solver(Method::dem)), options);
  CHECK_THROWS_WITH(shelved.restore_world(0, span_of({0})), Catch::Contains("empty"));
}
