// Sleep of dem: grains at rest stay where they are and cost nothing, and what reaches them wakes them.
#include "engine/core/passes.h"
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include "spinning.h"
#include "wrong.h"
#include <cstring>
#include <map>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double sleeper_radius = 0.005;  // m

// Grains that have fallen into a box with walls.
Scene sleeping_bed(unsigned n = 400) {
  Scene scene = with(box_of(n), default_solver(Method::dem));
  scene.dt = 1.0 / 120.0;
  scene.solver.substeps = 8;
  scene.solver.sleep = true;
  scene.materials[0].rolling_friction = 0.1;
  return scene;
}

// A bed onto which three grains fall in a second, for four seconds.
Scene bed_in_rain() {
  Scene scene = sleeping_bed(600);
  scene.emitters = pouring(2, 3, 4.0).emitters;
  scene.emitters[0].rate = 3.0;
  scene.emitters[0].radius_min = scene.emitters[0].radius_max = 0.005;
  scene.emitters[0].shape = CylinderFill{{0.04, 0.04, 0.3}, 0.02, 0.05};
  return scene;
}

std::map<std::uint32_t, glm::vec3> places_of(Simulation& simulation, std::uint32_t world = 0) {
  std::map<std::uint32_t, glm::vec3> places;
  for (const GrainState& grain : simulation.grains())
    if (grain.world == world)
      places[grain.id] = grain.position;
  return places;
}

double mean_height(Simulation& simulation) {
  double sum = 0.0;
  const auto places = places_of(simulation);
  for (const auto& [id, place] : places)
    sum += static_cast<double>(place.z);
  return sum / static_cast<double>(places.size());
}

double farthest(const std::map<std::uint32_t, glm::vec3>& a, const std::map<std::uint32_t, glm::vec3>& b) {
  float way = 0.0f;
  for (const auto& [id, place] : a)
    way = std::max(way, glm::distance(place, b.at(id)));
  return static_cast<double>(way);
}

}  // namespace

TEST_CASE("A bed at rest falls asleep, and then no grain is computed any more", "[sleep]") {
  Simulation simulation(sleeping_bed(), on_cpu);
  CHECK(simulation.awake() == 400u);
  let_sleep(simulation);
  simulation.advance(100);  // lists that have become too wide are built anew once
  const auto places = places_of(simulation);
  const auto updates = simulation.grain_updates();
  CHECK(updates > 0u);
  simulation.advance(200);
  CHECK(simulation.grain_updates() == updates);
  CHECK(places_of(simulation) == places);
  CHECK(simulation.measure().kinetic_energy == 0.0);
  // The springs still bear the grains: the contact forces are those of their weights.
  CHECK(simulation.measure().penetration_mean > 0.001);
}

// Which slices run is a matter of cost alone: sorting decides it, and with it how many worlds there are. Slices stop,
// and run again, in all substeps of a step; what they do to bodies must be counted in each of them once. They lie
// beside no body, one, or several, of which the plate rests, moves, and rests, and the block lies on the bed, falls
// asleep and is hit.
TEST_CASE("Slices in which nothing acts on a grain may run, and nothing changes", "[sleep]") {
  const bool with_block = GENERATE(false, true);
  Scene scene = bed_in_rain();
  scene.bodies.push_back(body_of("post", {{BoxPart{{0.01, 0.01, 0.1}}}}, {0.03, 0.03, 0.02}));
  scene.bodies.push_back(body_of("plate", {{BoxPart{{0.004, 0.03, 0.1}}}}, {0.045, 0.04, 0.02}));
  scene.bodies[1].motion = Keyframes{.frames = {{1.5, glm::dvec3(0.0), {}}, {1.6, glm::dvec3(0.003, 0.0, 0.0), {}}}};
  if (with_block) {
    scene.bodies.push_back(body_of("block", {{BoxPart{{0.025, 0.025, 0.012}}}}, {0.062, 0.06, 0.12}));
    scene.bodies[2].mass = 0.02;
    scene.emitters[0].rate = 0.6;
    scene.emitters[0].shape = CylinderFill{{0.06, 0.06, 0.3}, 0.01, 0.05};
  }
  Simulation some(scene, on_cpu), all(scene, on_cpu);
  std::uint32_t least = some.grain_count();
  std::size_t standing = 0, on_several = 0, on_block = 0, woken = 0;
  bool slept = false;
  for (int k = 0; k < (with_block ? 450 : 300); ++k) {
    Executor& executor = all.executor();
    auto slices = read_field<SliceActivity>(executor, FieldId::slice_activity, executor.size(FieldId::slice_activity));
    for (SliceActivity& slice : slices)
      slice.watched = 1;
    write_field(executor, FieldId::slice_activity, slices);
    some.advance(1);
    all.advance(1);
    least = std::min(least, some.awake().value());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      CAPTURE(k, b);
      REQUIRE(some.body_loads()[b].force == all.body_loads()[b].force);
      REQUIRE(some.body_loads()[b].torque == all.body_loads()[b].torque);
    }
    Executor& one = some.executor();
    for (const SliceActivity& slice :
         read_field<SliceActivity>(one, FieldId::slice_activity, one.size(FieldId::slice_activity))) {
      standing += (slice.state & slice_stands) != 0;
      on_block += (slice.state & slice_stands) != 0 && slice.body == 3;
      on_several += slice.body == several_bodies;
    }
    if (with_block) {
      const bool sleeps = read_field<RigidState>(one, FieldId::rigid_states, 3)[2].rest.state == rest_asleep;
      woken += slept && !sleeps;
      slept = sleeps;
    }
  }
  CHECK(standing > 0);
  CHECK(on_several > 0);
  CHECK((on_block > 0) == with_block);
  CHECK((woken > 0) == with_block);
  CHECK(least < some.grain_count() / 2);
  CHECK(some.awake() > 0u);
  CHECK(all.grain_updates() > some.grain_updates());
  CHECK(all.awake() == some.awake());
  CHECK(all.state_hash() == some.state_hash());
}

TEST_CASE("Scenes in which grains cannot sleep say so", "[sleep]") {
  Scene scene = sleeping_bed(10);
  scene.solver.sleep = false;
  CHECK_FALSE(Simulation(scene, on_cpu).awake().has_value());
  CHECK_FALSE(Simulation(scene, on_cpu).grain_updates().has_value());
  scene.solver.sleep = true;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  CHECK_FALSE(Simulation(scene, on_cpu).awake().has_value());
  const std::string text = R"([solver]
sleep = true
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
clump = "pair"
count = 1
fill.box = { size = [0.5, 0.5, 0.5], position = [0, 0, 0.5] }
)";
  const Scene clumps = parse_scene(text, "clumps.toml");
  REQUIRE(clumps.warnings.size() == 1);
  CHECK(contains(clumps.warnings[0], "solver.sleep = true has no effect: clumps and sleep do not go together"));
}

TEST_CASE("Waking all sleepers at once moves none of them", "[sleep]") {
  Simulation simulation(sleeping_bed(), on_cpu);
  let_sleep(simulation);
  const auto places = places_of(simulation);
  Scene changed = simulation.scene();
  changed.materials[0].friction_static = changed.materials[0].friction_kinetic = 0.51;
  simulation.change(changed);
  CHECK(simulation.awake() == 400u);
  simulation.advance(4);
  CHECK(fastest_of(simulation) < 0.002);  // 0.006 sqrt(g r)
  let_sleep(simulation, simulation.time() + 3.0);
  CHECK(farthest(places, places_of(simulation)) < 0.005 * sleeper_radius);
}

TEST_CASE("Another gravity wakes all sleepers, and they fall as ever", "[sleep]") {
  const auto risen = [](bool sleep) {
    Simulation simulation(sleeping_bed(), on_cpu);
    let_sleep(simulation);
    Scene changed = simulation.scene();
    changed.solver.sleep = sleep;
    changed.domain.gravity = {0.0, 0.0, 2.0};
    simulation.change(changed);
    simulation.advance(24);
    return mean_height(simulation);
  };
  CHECK(risen(true) == Approx(risen(false)).epsilon(5e-3));  // the bed comes apart, each time a little differently
}

// Grains at rest on a plate that hangs over nothing, and drops after so many seconds faster than they fall.
Scene on_a_plate(bool sleep, double drops) {
  const std::string text = fmt::format(R"([time]
dt = 0.00833
end = 10
[domain]
min = [0, 0, -30]
max = [0.14, 0.14, 1]
x = "periodic"
y = "periodic"
[solver]
substeps = 8
sleep = {}
[[material]]
name = "sand"
rolling_friction = 0.1
[[grains]]
material = "sand"
radius = [0.008, 0.01]
count = 300
fill.box = {{ min = [0, 0, 0.02], max = [0.14, 0.14, 0.6] }}
[[body]]
name = "plate"
box.size = [0.5, 0.5, 0.02]
keyframes = [ {{ time = {}, position = [0, 0, 0] }}, {{ time = {}, position = [0, 0, -25] }} ]
)",
                                       sleep, drops, drops + 5.0);
  return parse_scene(text, "plate.toml");
}

// The plate as particles: fixed grains that it carries.
Scene on_particles(Scene scene) {
  MeshPart plate;
  plate.as = MeshAs::particles;
  plate.radius = 0.008;
  plate.file = "made here";
  plate.loaded = std::make_shared<LoadedMesh>(
      LoadedMesh{{{{0, 0, 0}, {0.14f, 0, 0}, {0.14f, 0.14f, 0}, {0, 0.14f, 0}}, {{0, 1, 2}, {0, 2, 3}}}, false, {}});
  scene.bodies[0].parts = {{plate}};
  scene.bodies[0].material = 0;
  return scene;
}

TEST_CASE("Sleepers on the particles of a body fall once it is taken away", "[sleep]") {
  constexpr double drops = 4.0;
  Simulation asleep(on_particles(on_a_plate(true, drops)), on_cpu),
      awake(on_particles(on_a_plate(false, drops)), on_cpu);
  const auto rest = static_cast<std::uint64_t>(drops / asleep.scene().dt) - 6;
  asleep.advance(rest);
  awake.advance(rest);
  CHECK(asleep.awake() < 200u);  // those that share a slice with particles stay awake
  const double before = mean_height(asleep), before_awake = mean_height(awake);
  asleep.advance(36);
  awake.advance(36);
  CHECK(before - mean_height(asleep) == Approx(before_awake - mean_height(awake)).epsilon(0.01));
}

TEST_CASE("A bed on fixed grains falls asleep, and then no grain is computed any more", "[sleep]") {
  Scene scene = sleeping_bed();
  std::vector<glm::dvec3> floor;
  for (double x = 0.005; x < scene.domain.max.x; x += 0.01)
    for (double y = 0.005; y < scene.domain.max.y; y += 0.01)
      floor.push_back({x, y, 0.005});
  add_points(scene, 0.005, floor);
  scene.grains.back().fixed = true;
  scene.grains[0].shape = BoxFill{{0.0, 0.0, 0.015}, scene.domain.max};
  Simulation simulation(scene, on_cpu);
  let_sleep(simulation);
  simulation.advance(100);
  const auto updates = simulation.grain_updates();
  simulation.advance(100);
  CHECK(simulation.awake() == 0u);
  CHECK(simulation.grain_updates() == updates);
}

TEST_CASE("Sleepers bear on a body as ever, and fall once it is taken away", "[sleep]") {
  constexpr double drops = 4.0;
  Simulation asleep(on_a_plate(true, drops), on_cpu), awake(on_a_plate(false, drops), on_cpu);
  double weight = 0.0;
  for (const GrainState& grain : asleep.grains())
    weight += g * mass_of(static_cast<double>(grain.radius));
  const auto rest = static_cast<std::uint64_t>(drops / asleep.scene().dt) - 6;
  asleep.advance(rest);
  awake.advance(rest);
  CHECK(asleep.awake() == 0u);
  CHECK(asleep.body_loads()[0].force.z == Approx(-weight).epsilon(0.005));
  const double before = mean_height(asleep), before_awake = mean_height(awake);
  asleep.advance(36);
  awake.advance(36);
  CHECK(asleep.awake() == 300u);
  const double fallen = before - mean_height(asleep), fallen_awake = before_awake - mean_height(awake);
  CHECK(fallen > 0.1);
  CHECK(fallen == Approx(fallen_awake).epsilon(0.01));
}

TEST_CASE("Sleepers on a body at rest are not computed, bear on it as if they were, and move once it does", "[sleep]") {
  constexpr double rises = 4.0;
  Scene scene = on_a_plate(true, 2.0 * rises);
  scene.bodies[0].motion =
      Keyframes{.frames = {{rises, glm::dvec3(0.0), {}}, {rises + 0.1, glm::dvec3(0.0, 0.0, 0.01), {}}}};
  Simulation simulation(scene, on_cpu);
  const auto rest = static_cast<std::uint64_t>(rises / simulation.scene().dt) - 24;
  simulation.advance(rest);
  REQUIRE(simulation.awake() == 0u);
  const auto updates = simulation.grain_updates();
  const BodyLoad standing = simulation.body_loads()[0];
  const Checkpoint saved = simulation.checkpoint();
  simulation.advance(6);
  CHECK(simulation.grain_updates() == updates);
  CHECK(simulation.body_loads()[0].force == standing.force);
  CHECK(simulation.body_loads()[0].torque == standing.torque);
  // In a step in which all of them run the body bears the same.
  simulation.grab({0.0, 0.0, 0.5}, 0.001);
  simulation.release();
  simulation.advance(1);
  CHECK(simulation.grain_updates().value() > updates.value());
  CHECK(simulation.body_loads()[0].force == standing.force);
  CHECK(simulation.body_loads()[0].torque == standing.torque);
  // And in one that begins with a checkpoint.
  Simulation resumed(scene, on_cpu);
  resumed.resume(saved);
  resumed.advance(1);
  CHECK(resumed.grain_updates() == updates);
  CHECK(resumed.body_loads()[0].force == standing.force);
  const double before = mean_height(simulation);
  simulation.advance(60);
  CHECK(mean_height(simulation) - before == Approx(0.01).epsilon(0.05));
}

TEST_CASE("What falls onto a bed wakes the grains around it, and no others", "[sleep]") {
  Scene scene = sleeping_bed(2500);
  const double edge = scene.domain.max.x = scene.domain.max.y = 0.3;
  scene.grains[0].shape = BoxFill{{0.0, 0.0, 0.0}, {edge, edge, 0.15}};
  Emitter emitter = pouring(2, 3, 1.0).emitters[0];
  emitter.start = 8.0;
  emitter.stop = 8.1;
  emitter.rate = 10.0;
  emitter.radius_min = emitter.radius_max = 0.005;
  emitter.velocity = {0.0, 0.0, -0.5};
  emitter.shape = CylinderFill{{0.05, 0.05, 0.06}, 0.006, 0.02};
  scene.emitters = {emitter};
  Simulation simulation(scene, on_cpu);
  let_sleep(simulation, 7.9);
  const auto places = places_of(simulation);
  std::uint32_t most = 0;
  while (simulation.time() < 10.0) {
    simulation.advance(4);
    most = std::max(most, simulation.awake().value());
  }
  CHECK(simulation.grain_count() == 2501);
  CHECK(most > 10u);
  CHECK(most < 2000u);
  const auto after = places_of(simulation);
  std::size_t moved = 0;
  for (const auto& [id, place] : places) {
    moved += after.at(id) != place ? 1 : 0;
    if (place.x > 0.25f && place.y > 0.25f)
      CHECK(after.at(id) == place);
  }
  CHECK(moved > 10u);
}

TEST_CASE("Sleepers come back with a checkpoint, whatever the number of threads", "[sleep]") {
  Scene scene = bed_in_rain();
  Simulation one(scene, {.device = "cpu", .threads = 1}), three(scene, {.device = "cpu", .threads = 3});
  one.advance(300);
  three.advance(300);
  CHECK(one.awake() < one.grain_count());
  CHECK(one.awake() > 0u);
  CHECK(one.state_hash() == three.state_hash());
  CHECK(one.awake() == three.awake());
  Simulation resumed(scene, on_cpu);
  resumed.resume(one.checkpoint());
  CHECK(resumed.awake() == one.awake());
  resumed.advance(60);
  one.advance(60);
  CHECK(resumed.state_hash() == one.state_hash());
  CHECK(resumed.grain_updates() == one.grain_updates());
}

TEST_CASE("A world sleeps by itself, and forks with its sleepers", "[sleep][worlds]") {
  Scene scene = sleeping_bed(200);
  scene.worlds = 3;
  scene.solver.incremental_rebuild = false;
  Simulation simulation(scene, on_cpu);
  let_sleep(simulation);
  const std::uint32_t second = 1;
  simulation.reset_worlds(std::span(&second, 1));
  const auto third = places_of(simulation, 2);
  simulation.advance(1);
  CHECK(simulation.awake() == 200u);
  simulation.advance(29);
  CHECK(places_of(simulation, 2) == third);
  // The copy of a sleeping world stays what it is, over an exchange of the copies of grains.
  const std::uint32_t none = 0;
  simulation.fork_world(2, std::span(&none, 1));
  CHECK(places_of(simulation, 0) == third);
  simulation.advance(31);
  CHECK(places_of(simulation, 0) == third);
  Scene alone = scene;
  alone.worlds = 1;
  alone.seed = scene.seed + 2;
  Simulation single(alone, on_cpu);
  single.advance(simulation.step());
  CHECK(places_of(single) == third);
}

TEST_CASE("The hand wakes the grains that it takes", "[sleep]") {
  Simulation simulation(sleeping_bed(), on_cpu);
  let_sleep(simulation);
  const double edge = simulation.scene().domain.max.x;
  const auto places = places_of(simulation);
  CHECK(simulation.grab({0.5 * edge, 0.5 * edge, 0.02}, 0.02) > 0);
  simulation.move_hand({0.5 * edge, 0.5 * edge, 0.3});
  simulation.advance(60);
  CHECK(simulation.awake() > 0u);
  double highest = 0.0;
  for (const auto& [id, place] : places_of(simulation))
    highest = std::max(highest, static_cast<double>(place.z));
  CHECK(highest > 0.2);
}

TEST_CASE("A checkpoint whose sleepers are none is refused", "[sleep]") {
  Simulation simulation(sleeping_bed(50), on_cpu);
  simulation.advance(20);
  const std::uint64_t before = simulation.state_hash();
  const auto said = [&](FieldId id, std::size_t offset, std::uint32_t value) -> std::string {
    Checkpoint bad = simulation.checkpoint();
    std::memcpy(bad.fields.at(std::string(info(id).name)).data() + offset, &value, sizeof value);
    try {
      simulation.resume(bad);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK(said(FieldId::slice_activity, offsetof(SliceActivity, listed), 2) ==
        "field slice_activity is not at the end of a step");
  CHECK(said(FieldId::slice_activity, offsetof(SliceActivity, body), 2) == "field slice_activity names no body");
  CHECK(said(FieldId::slice_activity, offsetof(SliceActivity, state), slice_stands) ==
        "field slice_activity stands on no body");
  CHECK(said(FieldId::grain_rest, offsetof(GrainRest, push), 0x7FC00000) ==
        "field grain_rest has a number that is not finite");
  CHECK(simulation.state_hash() == before);
}

TEST_CASE("Sleep on a device is that of the reference", "[sleep][device][lockstep]") {
  Scene scene = sleeping_bed(150);
  scene.dt = 1.0 / 60.0;
  scene.materials[0].rolling_friction = 0.5;
  scene.grains[0].velocity_random = 0.1;
  scene.worlds = GENERATE(1u, 2u);
  scene.bodies.push_back(body_of("post", {{BoxPart{{0.01, 0.01, 0.1}}}}, {0.03, 0.03, 0.02}));
  add_points(scene, 0.005, {{0.02, 0.04, 0.3}});
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(45));
  CHECK(simulation.awake() < simulation.grain_count());
  if (scene.worlds == 1) {
    CHECK(simulation.grab({0.03, 0.03, 0.01}, 0.02) > 0);
    REQUIRE_NOTHROW(simulation.advance(2));
  } else {
    const std::uint32_t second = 1;
    simulation.reset_worlds(std::span(&second, 1));
    REQUIRE_NOTHROW(simulation.advance(3));
  }
}
