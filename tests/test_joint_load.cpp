// The load of a joint that holds a dynamic body to the world alone is compared with the equations of a pendulum and a
// door, and with the load of the same joint to a body that does not move, which the solution of the linkage gives.
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "simulate.h"
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

// One grain far away, and the bodies.
Scene hung(const std::string& bodies, double dt = 0.005, int substeps = 50) {
  return parse_scene(fmt::format(R"([time]
dt = {}
end = 10
[domain]
min = [-5, -5, -5]
max = [5, 5, 5]
[solver]
method = "dem"
substeps = {}
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.01
fill.points = [[4.9, 4.9, -4.99]]
)",
                                 dt, substeps) +
                         bodies,
                     "hung.toml");
}

// A body that joint `joint` holds, on the world or on a post that stands where the world is.
Scene held_by(const std::string& joint, const std::string& body, bool on_post) {
  return hung((on_post ? "[[body]]\nname = \"post\"\nbox.size = [0.1, 0.1, 0.1]\n" : std::string()) +
              "[[body]]\nname = \"arm\"\n" + body + "\n" +
              (on_post ? "parent = \"post\"\nignores = [\"post\"]\n" : "") + "joint = { " + joint + " }\n");
}

}  // namespace

TEST_CASE("A joint to the world bears a pendulum with the force of its equation", "[joint_load]") {
  // A rod of 2 kg and 1 m swings from the horizontal. With its moment of inertia I = m L^2 / 3 (and the rod's own
  // thickness), energy gives w^2 = 2 m g r sin(a) / I at the angle a below the horizontal, r = L / 2.
  const double m = 2.0, r = 0.5, thick = 0.02, inertia = m * (1.0 + thick * thick) / 12.0 + m * r * r;
  Simulation simulation(hung(R"([[body]]
name = "rod"
mass = 2
box.size = [1, 0.02, 0.02]
position = [0.5, 0, 0]
joint = { type = "revolute", axis = [0, 1, 0] }
)",
                             0.001, 20),
                        on_cpu);
  CHECK(simulation.joint_load(0)->force == glm::dvec3(0.0));
  double before = 0.0;
  for (int step = 0; step < 550; ++step) {
    simulation.advance(1);
    const double after = glm::radians(simulation.joint_state(0).value), a = 0.5 * (before + after);
    before = after;
    const double w2 = 2 * m * g * r * std::sin(a) / inertia;
    const double faster = m * g * r * std::cos(a) / inertia;  // rad/s2
    const glm::dvec3 out(std::cos(a), 0.0, -std::sin(a)), ahead(-std::sin(a), 0.0, -std::cos(a));
    const glm::dvec3 should = m * (r * (faster * ahead - w2 * out) + glm::dvec3(0.0, 0.0, g));
    const JointLoad load = simulation.joint_load(0).value();
    REQUIRE(glm::distance(load.force, should) < 2e-3 * m * g);
    REQUIRE(glm::length(load.torque) < 1e-4 * m * g * r);
    REQUIRE(std::abs(load.along) < 2e-4 * m * g * r);
  }
  CHECK(before > glm::radians(80.0));
}

TEST_CASE("The hinge of a door bears its weight, and its motor what pushes it", "[joint_load]") {
  Simulation simulation(hung(R"([[body]]
name = "door"
mass = 30
box.size = [0.8, 0.04, 2]
position = [0.4, 0, 0]
joint = { type = "revolute", axis = [0, 0, 1], motor.target = 0, motor.stiffness = 1e6, motor.damping = 1e4, motor.strength = 100 }
)"),
                        on_cpu);
  simulation.push_body(0, {{0.0, 50.0, 0.0}, {}});
  simulation.advance(400);
  const JointLoad load = simulation.joint_load(0).value();
  CHECK(load.force.x == Approx(0.0).margin(0.01));
  CHECK(load.force.y == Approx(-50.0).epsilon(1e-3));
  CHECK(load.force.z == Approx(30 * g).epsilon(1e-5));
  CHECK(load.torque.x == Approx(0.0).margin(0.01));
  CHECK(load.torque.y == Approx(-30 * g * 0.4).epsilon(1e-5));
  CHECK(load.along == Approx(-50 * 0.4).epsilon(1e-3));
}

TEST_CASE("A joint to the world bears what one to a body that stands does", "[joint_load]") {
  const std::string box = "mass = 2\nbox.size = [0.3, 0.1, 0.2]\n";
  const std::array<std::array<std::string, 2>, 5> cases{
      {{R"(type = "revolute", axis = [0.3, 1, 0.2], friction = 0.2, armature = 0.05, start_speed = 300)",
        box + "position = [0.2, 0.05, -0.1]\nrotation = [10, 20, 30]"},
       {R"(type = "revolute", axis = [0, 1, 0], max = 20, spring.stiffness = 3, spring.damping = 0.1)",
        box + "position = [0.2, 0.1, 0]"},
       {R"(type = "prismatic", axis = [1, 0, -1], friction = 3, armature = 0.7, origin = [0.1, 0.2, 0.3])",
        box + "position = [0.1, 0.1, 0.1]\nrotation = [0, 0, 30]"},
       {R"(type = "ball")", box + "position = [0.2, 0.1, -0.1]\nspin = [3, 5, 7]"},
       {R"(type = "ball", max = 30, axis = [0, 0, -1])", box + "position = [0.05, 0, -0.3]\nspin = [0, 5, 0]"}}};
  for (const auto& [joint, body] : cases) {
    INFO(joint);
    Simulation alone(held_by(joint, body, false), on_cpu), linked(held_by(joint, body, true), on_cpu);
    const Wrench push{{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}};
    alone.push_body(0, push);
    linked.push_body(1, push);
    for (int step = 0; step < 40; ++step) {
      alone.advance(1);
      linked.advance(1);
      const JointLoad a = alone.joint_load(0).value(), b = linked.joint_load(1).value();
      INFO(step);
      if (step == 0)
        continue;  // in which the linkage comes to the gap of its joint that is in balance (docs/numerics.md)
      // The bodies' paths part by the first order of the substep, 1e-4 s, at up to 10 rad/s.
      REQUIRE(glm::distance(a.force, b.force) < 5e-3 * (glm::length(b.force) + 2 * g));
      REQUIRE(glm::distance(a.torque, b.torque) < 5e-3 * (glm::length(b.torque) + 2 * g * 0.2));
      REQUIRE(std::abs(a.along - b.along) < 5e-3 * (std::abs(b.along) + 2 * g * 0.2));
    }
  }
}

TEST_CASE("A ball joint to the world brakes with its friction", "[joint_load]") {
  Simulation simulation(held_by(R"(type = "ball", friction = 0.3)",
                                "mass = 2\nbox.size = [0.3, 0.1, 0.2]\nposition = [0.2, 0.1, -0.1]\nspin = [3, 5, 7]",
                                false),
                        on_cpu);
  for (int step = 0; step < 10; ++step) {
    simulation.advance(1);
    // A mean over a step, in which its direction turns by up to 0.05 rad.
    REQUIRE(glm::length(simulation.joint_load(0)->torque) == Approx(0.3).epsilon(2e-3));
  }
}

TEST_CASE("The load of a joint to the world counts grains, and is that of a world and of a checkpoint",
          "[joint_load]") {
  // A tray on a vertical slider bears four grains, at rest with it.
  Scene scene = hung(R"([[grains]]
material = "sand"
radius = 0.02
fill.points = [[0.05, 0.05, 0.025], [-0.05, 0.05, 0.025], [0.05, -0.05, 0.025], [-0.05, -0.05, 0.025]]
[[body]]
name = "tray"
mass = 1
box.size = [0.3, 0.3, 0.01]
joint = { type = "prismatic", axis = [1, 0, 0], friction = 1 }
)");
  scene.worlds = 2;
  Simulation simulation(scene, on_cpu);
  simulation.advance(200);
  const double grains = 4 * scene.materials[0].density * 4.0 / 3.0 * std::numbers::pi * std::pow(0.02, 3);
  const JointLoad load = simulation.joint_load(1).value();
  CHECK(load.force.z == Approx((1.0 + grains) * g).epsilon(2e-3));
  const JointLoad other = simulation.joint_load(0).value();
  CHECK(load.force == other.force);
  Simulation resumed(scene, on_cpu);
  resumed.resume(simulation.checkpoint());
  CHECK(resumed.joint_load(1)->force == load.force);
  simulation.fork_world(1, std::array{0u});
  simulation.advance(1);
  resumed.advance(1);
  CHECK(resumed.joint_load(1)->force == simulation.joint_load(1)->force);
}
