// Dynamic bodies that sleep with the grains that bear them (dem).
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <cstring>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double block_mass = 0.03, bob_mass = 0.02;  // kg

// A bed of 500 grains in a box of 8 cm, onto which bodies fall.
Scene bed_under(const std::string& bodies, double dt = 1.0 / 120.0) {
  return parse_scene(fmt::format(R"([time]
dt = {}
end = 10
[domain]
min = [0, 0, 0]
max = [0.08, 0.08, 0.4]
[solver]
method = "dem"
substeps = 8
[[material]]
name = "sand"
rolling_friction = 0.1
[[grains]]
material = "sand"
radius = [0.004, 0.005]
count = 500
fill.box = {{ min = [0, 0, 0], max = [0.08, 0.08, 0.2] }}
)",
                                 dt) +
                         bodies,
                     "bed_under.toml");
}

const std::string lone_block = R"([[body]]
name = "block"
mass = 0.03
box.size = [0.03, 0.03, 0.015]
position = [0.04, 0.04, 0.25]
)";

// Two blocks with a hinge between them.
const std::string pair_of_blocks = R"([[body]]
name = "block"
mass = 0.03
box.size = [0.03, 0.03, 0.015]
position = [0.022, 0.04, 0.25]
[[body]]
name = "bob"
mass = 0.02
box.size = [0.03, 0.03, 0.015]
position = [0.058, 0.04, 0.25]
parent = "block"
joint = { type = "revolute", axis = [0, 1, 0], origin = [0.04, 0.04, 0.25] }
)";

// Bodies with the grains, and lists that have become too wide are built anew once.
void let_all_sleep(Simulation& simulation, double most = 8.0) {
  let_sleep(simulation, most);
  simulation.advance(200);
}

BodyRest rest_of(Simulation& simulation, std::size_t body) {
  Executor& executor = simulation.executor();
  return read_field<RigidState>(executor, FieldId::rigid_states, executor.size(FieldId::rigid_states))[body].rest;
}

bool body_sleeps(Simulation& simulation, std::size_t body) {
  return simulation.executor().size(FieldId::rigid_states) > body && rest_of(simulation, body).state == rest_asleep;
}

}  // namespace

TEST_CASE("A body at rest on grains sleeps with them, weighs what it weighs, and costs nothing", "[sleep][rigid]") {
  Simulation simulation(bed_under(lone_block), on_cpu);
  let_all_sleep(simulation);
  REQUIRE(body_sleeps(simulation, 0));
  const BodyState before = simulation.body_state(0);
  CHECK(before.twist.velocity == glm::dvec3(0.0));
  CHECK(before.twist.spin == glm::dvec3(0.0));
  const auto updates = simulation.grain_updates();
  simulation.advance(10);
  const BodyLoad load = simulation.body_loads()[0];
  CHECK(load.force.z == Approx(block_mass * g).epsilon(0.01));
  CHECK(std::hypot(load.force.x, load.force.y) < 0.01 * block_mass * g);
  simulation.advance(200);
  CHECK(simulation.body_state(0).pose.position == before.pose.position);
  CHECK(simulation.body_state(0).pose.rotation == before.pose.rotation);
  CHECK(simulation.body_loads()[0].force == load.force);
  CHECK(simulation.body_loads()[0].torque == load.torque);
  CHECK(simulation.grain_updates() == updates);
}

TEST_CASE("A sleeping body wakes by what acts on it", "[sleep][rigid]") {
  Simulation simulation(bed_under(lone_block), on_cpu);
  let_all_sleep(simulation);
  REQUIRE(body_sleeps(simulation, 0));
  const glm::dvec3 before = simulation.body_state(0).pose.position;
  SECTION("a push that lifts it") {
    // As it lifts one in a bed that has been woken just before: what the bed springs back is the same.
    Simulation awake(simulation.scene(), on_cpu);
    awake.resume(simulation.checkpoint());
    awake.grab({0.04, 0.04, 0.3}, 0.001);
    awake.release();
    for (Simulation* one : {&simulation, &awake}) {
      one->push_body(0, {{0.0, 0.0, 1.5 * block_mass * g}, {}});
      one->advance(12);
    }
    const double t = 12 * simulation.scene().dt, risen = simulation.body_state(0).pose.position.z - before.z;
    CHECK(risen > 0.25 * g * t * t);
    CHECK(risen == Approx(awake.body_state(0).pose.position.z - before.z).epsilon(0.01));
  }
  SECTION("its support is taken away") {
    CHECK(simulation.remove_grains({0.04, 0.04, 0.0}, 1.0) == 500u);
    const std::uint64_t start = simulation.step();
    simulation.advance(6);
    const double t = static_cast<double>(simulation.step() - start) * simulation.scene().dt;
    CHECK(before.z - simulation.body_state(0).pose.position.z == Approx(0.5 * g * t * t).epsilon(0.03));
  }
  SECTION("the same push again leaves it asleep, once it has come to rest under it") {
    simulation.push_body(0, {{0.0, 0.0, 0.2 * block_mass * g}, {}});
    simulation.advance(1);
    CHECK_FALSE(body_sleeps(simulation, 0));
    let_all_sleep(simulation, 20.0);
    CHECK(body_sleeps(simulation, 0));
    simulation.push_body(0, {{0.0, 0.0, 0.2 * block_mass * g}, {}});
    simulation.advance(1);
    CHECK(body_sleeps(simulation, 0));
    CHECK(simulation.body_loads()[0].force.z == Approx(0.8 * block_mass * g).epsilon(0.01));
  }
}

TEST_CASE("The bodies of a linkage fall asleep and wake together", "[sleep][rigid]") {
  Simulation simulation(bed_under(pair_of_blocks), on_cpu);
  let_all_sleep(simulation);
  REQUIRE(body_sleeps(simulation, 0));
  REQUIRE(body_sleeps(simulation, 1));
  const double borne = simulation.body_loads()[0].force.z + simulation.body_loads()[1].force.z;
  CHECK(borne == Approx((block_mass + bob_mass) * g).epsilon(0.01));
  // The hinge bears the part of the second body's weight that the grains under it do not.
  const double held = simulation.joint_load(1)->force.z;
  CHECK(held == Approx(bob_mass * g - simulation.body_loads()[1].force.z).margin(0.01 * bob_mass * g));
  const auto updates = simulation.grain_updates();
  simulation.advance(100);
  CHECK(simulation.grain_updates() == updates);
  CHECK(simulation.joint_load(1)->force.z == held);
  const glm::dvec3 before = simulation.body_state(1).pose.position;
  simulation.push_body(0, {{0.0, 0.0, 2.0 * (block_mass + bob_mass) * g}, {}});
  simulation.advance(24);
  CHECK_FALSE(body_sleeps(simulation, 0));
  CHECK_FALSE(body_sleeps(simulation, 1));
  CHECK(simulation.body_state(1).pose.position.z > before.z + 0.005);
}

TEST_CASE("A body that a motor moves slowly does not fall asleep", "[sleep][rigid]") {
  // A plate that a motor presses into the bed, a tenth of a radius in a second.
  Simulation simulation(bed_under(R"([[body]]
name = "plate"
mass = 0.05
box.size = [0.03, 0.03, 0.01]
position = [0.04, 0.04, 0.12]
joint = { type = "prismatic", axis = [0, 0, -1], motor = { speed = 0.0005, strength = 100 } }
)"),
                        on_cpu);
  simulation.advance(480);
  const double before = simulation.joint_state(0).value;
  simulation.advance(240);
  CHECK(simulation.joint_state(0).value - before == Approx(0.001).epsilon(0.01));
}

TEST_CASE("A sleeping body comes back with a checkpoint, and a wrong one is refused", "[sleep][rigid]") {
  Simulation simulation(bed_under(lone_block), on_cpu);
  let_all_sleep(simulation);
  REQUIRE(body_sleeps(simulation, 0));
  const Checkpoint saved = simulation.checkpoint();
  Simulation resumed(bed_under(lone_block), on_cpu);
  resumed.resume(saved);
  for (Simulation* one : {&simulation, &resumed}) {
    one->push_body(0, {{0.01, 0.0, 0.2}, {}});
    one->advance(20);
  }
  CHECK(resumed.state_hash() == simulation.state_hash());
  Checkpoint bad = saved;
  std::byte* const split =
      bad.fields.at("rigid_states").data() + offsetof(RigidState, rest) + offsetof(BodyRest, split);
  std::memset(split, 0, sizeof(float));
  CHECK_THROWS_AS(resumed.resume(bad), CheckpointError);
}

TEST_CASE("Sleep of bodies on a device is that of the reference", "[sleep][rigid][device][lockstep]") {
  Scene scene = bed_under(GENERATE(false, true) ? pair_of_blocks : lone_block);
  scene.grains[0].count = 100;
  scene.materials[0].rolling_friction = 0.5;
  scene.solver.substeps = 16;
  // The CPU path alone lets them come to rest, up to the last 8 steps.
  Simulation before(scene, on_cpu), simulation(scene, in_lockstep());
  Checkpoint awake;
  for (int k = 0; k < 200 && !body_sleeps(before, 0); ++k) {
    awake = before.checkpoint();
    before.advance(8);
  }
  REQUIRE(body_sleeps(before, 0));
  simulation.resume(awake);
  REQUIRE_NOTHROW(simulation.advance(8));
  CHECK(body_sleeps(simulation, 0));
  REQUIRE_NOTHROW(simulation.advance(2));
  simulation.push_body(0, {{0.0, 0.0, 0.5}, {}});
  REQUIRE_NOTHROW(simulation.advance(2));
  CHECK_FALSE(body_sleeps(simulation, 0));
}
