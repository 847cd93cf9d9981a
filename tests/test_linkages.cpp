// Bodies that joints hold together: pendulums, chains, closed loops, springs and motors against their equations.
#include "engine/scene/mass.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <array>
#include <fmt/format.h>

using namespace talus;
using namespace talus_tests;

namespace {

// One grain far away, and the bodies.
Scene linked(const std::string& bodies, double dt = 0.005, int substeps = 50, bool gravity = true) {
  return parse_scene(fmt::format(R"([time]
dt = {}
end = 10
[domain]
min = [-5, -5, -5]
max = [5, 5, 5]
gravity = [0, 0, {}]
[solver]
method = "dem"
substeps = {}
[[material]]
name = "sand"
rolling_friction = 0.1
[[grains]]
material = "sand"
radius = 0.01
fill.points = [[4.9, 4.9, -4.99]]
)",
                                 dt, gravity ? -9.81 : 0.0, substeps) +
                         bodies,
                     "linked.toml");
}

// Two free bodies of 2 and 1 kg in one place, without gravity, and the joint of the second to the first.
Scene two_bodies(const std::string& joint) {
  return linked(R"(
[[body]]
name = "a"
mass = 2
box.size = [0.1, 0.1, 0.1]
ignores = ["b"]
[[body]]
name = "b"
mass = 1
box.size = [0.1, 0.1, 0.1]
parent = "a"
joint = { )" + joint +
                    " }\n",
                0.005, 50, false);
}

// How far apart the anchors of a joint are [m], which is at `place` in each of two bodies.
double gap(const Simulation& simulation, std::uint32_t a, const glm::dvec3& in_a, std::uint32_t b,
           const glm::dvec3& in_b) {
  const Pose one = simulation.body_state(a).pose, other = simulation.body_state(b).pose;
  return glm::distance(one.position + one.rotation * in_a, other.position + other.rotation * in_b);
}

const std::string double_pendulum = R"(
[[body]]
name = "upper"
mass = 2
box.size = [0.04, 0.04, 0.6]
position = [0, 0, -0.3]
joint = { type = "revolute", axis = [0, 1, 0], origin = [0, 0, 1], value = 60 }
ignores = ["lower"]
[[body]]
name = "lower"
mass = 1
box.size = [0.03, 0.03, 0.5]
position = [0, 0, -0.25]
parent = "upper"
joint = { type = "revolute", axis = [0, 1, 0], origin = [0, 0, -0.3], value = -40 }
)";

// The state of two coordinates and their rates, and its derivative by time.
using Rods = std::array<double, 4>;

// Angles from the downward vertical [rad] and their rates, of two rods that hang on each other; accelerations from
// Lagrange's equations. Rotors of the inertias r1 and r2 [kg m2] turn with the two joints' values.
Rods rate_of(const Rods& s, double r1 = 0.0, double r2 = 0.0) {
  const double m1 = 2, m2 = 1, l1 = 0.6, c1 = 0.3, c2 = 0.25;
  const double i1 = m1 / 12 * (0.6 * 0.6 + 0.04 * 0.04), i2 = m2 / 12 * (0.5 * 0.5 + 0.03 * 0.03);
  const double cosine = std::cos(s[0] - s[1]), sine = std::sin(s[0] - s[1]);
  const double a = i1 + m1 * c1 * c1 + m2 * l1 * l1 + r1 + r2, b = m2 * l1 * c2 * cosine - r2,
               d = i2 + m2 * c2 * c2 + r2;
  const double p = -m2 * l1 * c2 * sine * s[3] * s[3] - (m1 * c1 + m2 * l1) * g * std::sin(s[0]);
  const double q = m2 * l1 * c2 * sine * s[2] * s[2] - m2 * c2 * g * std::sin(s[1]);
  const double determinant = a * d - b * b;
  return {s[2], s[3], (d * p - b * q) / determinant, (a * q - b * p) / determinant};
}
// Runge and Kutta's method of the fourth order.
template <class F> void advance_by(F&& rate_of, Rods& s, double h) {
  const auto at = [&](const Rods& k, double f) {
    Rods r;
    for (std::size_t i = 0; i < 4; ++i)
      r[i] = s[i] + f * h * k[i];
    return r;
  };
  const Rods k1 = rate_of(s), k2 = rate_of(at(k1, 0.5)), k3 = rate_of(at(k2, 0.5)), k4 = rate_of(at(k3, 1.0));
  for (std::size_t i = 0; i < 4; ++i)
    s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}
void advance(Rods& s, double h) {
  advance_by([](const Rods& at) { return rate_of(at); }, s, h);
}

}  // namespace

TEST_CASE("A double pendulum swings as its equations say", "[linkages]") {
  Simulation simulation(linked(double_pendulum), on_cpu);
  Rods rods{glm::radians(60.0), glm::radians(20.0), 0.0, 0.0};
  double off = 0.0;
  for (int step = 0; step < 200; ++step) {
    simulation.advance(1);
    for (int k = 0; k < 5; ++k)
      advance(rods, 1e-3);
    off = std::max({off, std::abs(simulation.joint_state(0).value - glm::degrees(rods[0])),
                    std::abs(simulation.joint_state(1).value - glm::degrees(rods[1] - rods[0]))});
  }
  CHECK(off < 0.03);
  CHECK(simulation.joint_state(1).speed == Approx(glm::degrees(rods[3] - rods[2])).margin(0.5));
  CHECK(gap(simulation, 0, {0, 0, -0.3}, 1, {0, 0, 0.25}) < 2e-5);
}

TEST_CASE("The inertia of rotors adds to that of a joint's value", "[linkages]") {
  const auto with_armature = [](std::string bodies, const std::string& joint, double armature) {
    const std::size_t at = bodies.find(joint);
    REQUIRE(at != std::string::npos);
    return bodies.insert(at + joint.size(), fmt::format(", armature = {}", armature));
  };
  SECTION("of one body on the world that turns") {
    Simulation simulation(linked(R"(
[[body]]
name = "pendulum"
mass = 2
center_of_mass = [0, 0, -0.5]
inertia = [0.02, 0.03, 0.01, 0, 0, 0]
sphere.radius = 0.05
joint = { type = "revolute", axis = [0, 1, 0], value = 1, armature = 0.4 }
)"),
                          on_cpu);
    const double rate = std::sqrt(2 * g * 0.5 / (0.03 + 2 * 0.25 + 0.4));
    simulation.advance(100);
    CHECK(simulation.joint_state(0).value == Approx(std::cos(0.5 * rate)).margin(1e-3));
  }
  SECTION("of one that slides") {
    Simulation simulation(
        linked("[[body]]\nname = \"weight\"\nmass = 2\nbox.size = [0.1, 0.1, 0.1]\n"
               "joint = { type = \"prismatic\", axis = [0, 0, 1], armature = 3, motor.torque = 5 }\n"),
        on_cpu);
    simulation.advance(50);
    CHECK(simulation.joint_state(0).speed == Approx(0.25 * (5 - 2 * g) / 5).epsilon(1e-4));
  }
  SECTION("of two rods that hang on each other") {
    const double r1 = 0.3, r2 = 0.05;
    Simulation simulation(linked(with_armature(with_armature(double_pendulum, "value = 60", r1), "value = -40", r2)),
                          on_cpu);
    Rods rods{glm::radians(60.0), glm::radians(20.0), 0.0, 0.0};
    double off = 0.0;
    for (int step = 0; step < 200; ++step) {
      simulation.advance(1);
      for (int k = 0; k < 5; ++k)
        advance_by([&](const Rods& at) { return rate_of(at, r1, r2); }, rods, 1e-3);
      off = std::max({off, std::abs(simulation.joint_state(0).value - glm::degrees(rods[0])),
                      std::abs(simulation.joint_state(1).value - glm::degrees(rods[1] - rods[0]))});
    }
    CHECK(off < 0.02);
    CHECK(gap(simulation, 0, {0, 0, -0.3}, 1, {0, 0, 0.25}) < 2e-5);
  }
  SECTION("of a slider on a wheel, which the wheel throws outwards and not its rotor") {
    // (m + r) x'' = m x w^2, and (I + m x^2) w stays, where I is that of wheel and slider about their centers.
    const double m = 2, r = 3, inertia = 1.0 / 6 * 4 * 0.04 + 1.0 / 6 * m * 0.01;
    Simulation simulation(linked(R"(
[[body]]
name = "wheel"
mass = 4
box.size = [0.2, 0.2, 0.2]
joint = { type = "revolute", start_speed = 300 }
ignores = ["slider"]
[[body]]
name = "slider"
mass = 2
box.size = [0.1, 0.1, 0.1]
parent = "wheel"
joint = { type = "prismatic", axis = [1, 0, 0], value = 0.2, armature = 3 }
)",
                                 0.005, 50, false),
                          on_cpu);
    Rods slider{0.2, 0.0, 0.0, 0.0};
    const double momentum = (inertia + m * 0.04) * glm::radians(300.0);
    double off = 0.0;
    for (int step = 0; step < 100; ++step) {
      simulation.advance(1);
      for (int k = 0; k < 5; ++k)
        advance_by(
            [&](const Rods& at) {
              const double spin = momentum / (inertia + m * at[0] * at[0]);
              return Rods{at[2], 0.0, m * at[0] * spin * spin / (m + r), 0.0};
            },
            slider, 1e-3);
      off = std::max(off, std::abs(simulation.joint_state(1).value - slider[0]));
    }
    CHECK(slider[0] > 0.4);
    CHECK(off < 1e-3);
  }
  SECTION("between two free bodies, whose momenta stay") {
    Simulation simulation(two_bodies("type = \"revolute\", armature = 0.02, motor.torque = 0.01"), on_cpu);
    const double both = 1.0 / (6 / (2 * 0.01) + 6 / (1 * 0.01)) + 0.02;
    simulation.advance(50);
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(0.01 * 0.25 / both).epsilon(1e-4));
    CHECK(simulation.joint_load(1)->along == Approx(0.01).epsilon(1e-3));
    CHECK(glm::length(of_bodies(simulation).angular) < 1e-7);
  }
  SECTION("a thousand times as great as that of the body") {
    Simulation simulation(linked(R"(
[[body]]
name = "post"
box.size = [0.1, 0.1, 0.1]
[[body]]
name = "wrist"
mass = 0.06
box.size = [0.1, 0.1, 0.1]
parent = "post"
joint = { type = "revolute", armature = 0.1, motor.torque = 0.2 }
ignores = ["post"]
)",
                                 0.005, 50, false),
                          on_cpu);
    simulation.advance(50);
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(0.2 * 0.25 / 0.1001).epsilon(1e-4));
  }
}

TEST_CASE("A gear ties the values of two joints, and bears on the bodies of both", "[linkages]") {
  const auto wheel = [](const char* name, double mass, double size, const char* more) {
    return fmt::format("[[body]]\nname = \"{}\"\nmass = {}\nbox.size = [{}, {}, 0.1]\n{}\n", name, mass, size, size,
                       more);
  };
  const auto inertia = [](double mass, double size) { return mass * size * size / 6; };
  SECTION("of two wheels on the world") {
    // The torque that turns the first one accelerates its own inertia, and nine times that of the other one.
    Simulation simulation(
        linked(wheel("small", 1, 0.2,
                     "joint = { type = \"revolute\", origin = [2, 0, 0], value = 10, gear = { body = \"big\", "
                     "multiplier = -3, "
                     "offset = 40 } }\nignores = [\"big\"]") +
                   wheel("big", 4, 0.5, "joint = { type = \"revolute\", value = 10, motor.torque = 0.5 }"),
               0.005, 50, false),
        on_cpu);
    double apart = 0.0;
    for (int step = 0; step < 150; ++step) {
      simulation.advance(1);
      apart = std::max(apart, std::abs(simulation.joint_state(0).value + 3 * simulation.joint_state(1).value - 40));
    }
    const double both = inertia(4, 0.5) + 9 * inertia(1, 0.2);
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(0.5 * 0.75 / both).epsilon(1e-4));
    // A rotation is rounded to 6e-8 in each of 7,500 substeps, which the gear makes up for by the speeds.
    CHECK(simulation.joint_state(0).speed == Approx(-3 * simulation.joint_state(1).speed).epsilon(2e-4));
    CHECK(apart < 2e-3);
    CHECK(simulation.joint_state(1).value > 40.0);
    CHECK(simulation.joint_load(1)->along == Approx(0.5).epsilon(1e-3));
  }
  SECTION("of a free housing, which turns back") {
    Simulation simulation(
        linked(
            wheel("housing", 5, 0.4, "ignores = [\"a\", \"b\"]") +
                wheel("a", 2, 0.3,
                      "parent = \"housing\"\njoint = { type = \"revolute\", origin = [-0.2, 0, 0], motor.torque = 0.1 "
                      "}\nignores = [\"b\"]") +
                wheel("b", 2, 0.1,
                      "parent = \"housing\"\njoint = { type = \"revolute\", origin = [0.2, 0, 0], gear = { body = "
                      "\"a\", multiplier = -3 } }"),
            0.005, 50, false),
        on_cpu);
    simulation.advance(100);
    // The value q of a and the angle p of the housing follow (all + 2 m d^2) p' + (a - 3 b) q' = 0,
    // (a + 9 b) q'' + (a - 3 b) p'' = torque.
    const double a = inertia(2, 0.3), b = inertia(2, 0.1), all = inertia(5, 0.4) + a + b + 2 * 2 * 0.04;
    const double q = 0.1 * 0.5 / (a + 9 * b - (a - 3 * b) * (a - 3 * b) / all), p = -(a - 3 * b) * q / all;
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(q).epsilon(1e-3));
    CHECK(glm::radians(simulation.joint_state(2).speed) == Approx(-3 * q).epsilon(1e-3));
    CHECK(simulation.body_state(0).twist.spin.z == Approx(p).epsilon(1e-3));
    CHECK(glm::length(of_bodies(simulation).angular) < 1e-4 * a * q);
    CHECK(glm::length(of_bodies(simulation).linear) < 1e-5);
  }
  SECTION("of a pinion and a rack, which a limit of the rack stops") {
    const double radius = 0.1;
    Simulation simulation(
        linked(wheel("pinion", 1, 0.2,
                     "joint = { type = \"revolute\", armature = 0.01, motor.torque = 0.2 }\nignores = "
                     "[\"rack\"]") +
                   wheel("rack", 3, 0.2,
                         fmt::format("joint = {{ type = \"prismatic\", axis = [1, 0, 0], max = 0.05, gear = {{ body = "
                                     "\"pinion\", multiplier = {} }} }}",
                                     glm::radians(radius))
                             .c_str()),
               0.005, 50, false),
        on_cpu);
    simulation.advance(40);
    const double speed = 0.2 * 0.2 / (inertia(1, 0.2) + 0.01 + 3 * radius * radius);
    CHECK(glm::radians(simulation.joint_state(0).speed) == Approx(speed).epsilon(1e-4));
    CHECK(simulation.joint_state(1).speed == Approx(radius * speed).epsilon(1e-4));
    simulation.advance(75);
    CHECK(simulation.joint_state(1).value == Approx(0.05).margin(1e-5));
    CHECK(glm::radians(simulation.joint_state(0).value) == Approx(0.05 / radius).margin(1e-4));
    CHECK(simulation.joint_load(1)->along == Approx(-0.2 / radius).epsilon(1e-3));
  }
}

TEST_CASE("A free linkage keeps its momentum, its angular momentum and its energy", "[linkages][slow]") {
  Simulation simulation(linked(R"(
[[body]]
name = "a"
mass = 2
box.size = [0.3, 0.1, 0.1]
spin = [0.3, 0.2, 5]
velocity = [0.5, 0, 0.1]
ignores = ["b", "c"]
[[body]]
name = "b"
mass = 1
box.size = [0.3, 0.1, 0.1]
position = [0.15, 0, 0]
parent = "a"
joint = { type = "revolute", axis = [0, 0, 1], origin = [0.15, 0, 0], value = 30, start_speed = 200 }
ignores = ["c"]
[[body]]
name = "c"
mass = 0.5
box.size = [0.3, 0.1, 0.1]
position = [0.15, 0, 0]
parent = "b"
joint = { type = "ball", axis = [1, 0, 0], origin = [0.15, 0, 0] }
spin = [1, 0, 0]
)",
                               0.005, 50, false),
                        on_cpu);
  const Momenta before = of_bodies(simulation);
  simulation.advance(200);
  const Momenta after = of_bodies(simulation);
  CHECK(glm::distance(after.linear, before.linear) < 1e-5 * glm::length(before.linear));
  CHECK(glm::distance(after.angular, before.angular) < 1e-3 * glm::length(before.angular));
  CHECK(after.energy == Approx(before.energy).epsilon(2e-3));
}

TEST_CASE("A crank turns a rocker as the geometry of four bars says", "[linkages]") {
  const double a = 0.1, b = 0.4, c = 0.3, d = 0.4;
  // The angle of the rocker from the ground, by that of the crank.
  struct Place {
    glm::dvec3 crank_end, rocker_end;
  };
  const auto place = [&](double angle) {
    const glm::dvec3 crank(a * std::cos(angle), 0.0, a * std::sin(angle)), to = glm::dvec3(d, 0.0, 0.0) - crank;
    const double way = glm::length(to), lean = std::acos((b * b + way * way - c * c) / (2 * b * way)),
                 base = std::atan2(to.z, to.x) + lean;
    return Place{crank, crank + b * glm::dvec3(std::cos(base), 0.0, std::sin(base))};
  };
  const auto angle_of = [](const glm::dvec3& v) { return std::atan2(v.z, v.x); };
  const glm::dvec3 pivot(d, 0.0, 0.0);
  const Place start = place(glm::radians(90.0));
  const auto bar = [&](const char* name, const glm::dvec3& from, const glm::dvec3& to, const std::string& joint) {
    const glm::dvec3 at = joint.empty() ? (from + to) / 2.0 : (to - from) / 2.0;
    return fmt::format("[[body]]\nname = \"{}\"\nmass = 1\nbox.size = [{}, 0.02, 0.02]\nposition = [{}, {}, {}]\n"
                       "rotation = [0, {}, 0]\n{}\n",
                       name, glm::distance(from, to), at.x, at.y, at.z, -glm::degrees(angle_of(to - from)), joint);
  };
  const auto pin = [&](const char* name, const char* other, const glm::dvec3& at) {
    return fmt::format(
        "[[joint]]\nname = \"{}\"\nbodies = [\"coupler\", \"{}\"]\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
        "origin = [{}, {}, {}]\n",
        name, other, at.x, at.y, at.z);
  };
  Simulation simulation(
      linked(bar("crank", {}, start.crank_end,
                 "joint = { type = \"revolute\", axis = [0, -1, 0], motor = { speed = 360, strength = 1000 } }\n"
                 "ignores = [\"coupler\", \"rocker\"]") +
             bar("coupler", start.crank_end, start.rocker_end, "") +
             bar("rocker", pivot, start.rocker_end,
                 "joint = { type = \"revolute\", axis = [0, -1, 0], origin = [0.4, 0, 0] }\nignores = [\"coupler\"]") +
             pin("B", "crank", start.crank_end) + pin("C", "rocker", start.rocker_end)),
      on_cpu);
  double off = 0.0;
  for (int step = 0; step < 200; ++step) {  // one turn
    simulation.advance(1);
    const double crank = glm::radians(90.0 + simulation.joint_state(0).value);
    const double rocker = angle_of(place(crank).rocker_end - pivot) - angle_of(start.rocker_end - pivot);
    off = std::max(off, std::abs(std::remainder(glm::degrees(rocker) - simulation.joint_state(2).value, 360.0)));
  }
  CHECK(off < 0.01);
  CHECK(simulation.joint_state(0).value == Approx(360.0).margin(0.5));
}

TEST_CASE("A chain of light links bears a weight a thousand times as heavy as one of them", "[linkages][slow]") {
  std::string chain;
  const int links = 20;
  for (int k = 0; k < links; ++k)
    chain += fmt::format("[[body]]\nname = \"l{}\"\nmass = {}\nbox.size = [0.02, 0.02, 0.1]\nposition = [0, 0, -0.05]\n"
                         "ignores = [{}]\n{}joint = {{ type = \"{}\", origin = [0, 0, {}], axis = [0, 1, 0] }}\n{}",
                         k, k + 1 < links ? 0.1 : 100.0, k + 1 < links ? fmt::format("\"l{}\"", k + 1) : "",
                         k > 0 ? fmt::format("parent = \"l{}\"\n", k - 1) : "", k % 2 > 0 ? "revolute" : "ball",
                         k > 0 ? "-0.05" : "3", k == 0 ? "rotation = [0, 20, 0]\n" : "");
  Simulation simulation(linked(chain, 0.005, 20), on_cpu);
  const double energy = 100 * g * simulation.body_state(links - 1).pose.position.z;
  double apart = 0.0;
  for (int k = 0; k < 70; ++k) {
    simulation.advance(1);
    for (std::uint32_t l = 1; l < links; ++l)
      apart = std::max(apart, gap(simulation, l - 1, {0, 0, -0.05}, l, {0, 0, 0.05}));
  }
  CHECK(apart < 1e-5);
  const BodyState end = simulation.body_state(links - 1);
  CHECK(glm::length(end.twist.velocity) > 1.0);
  CHECK(100 * g * end.pose.position.z + of_bodies(simulation).energy == Approx(energy).margin(1.0));
}

TEST_CASE("Springs, motors and friction act between two free bodies, equally on both", "[linkages]") {
  const double inertia = 1.0 / (6 / (2 * 0.01) + 6 / (1 * 0.01));  // of both about the same axis, as one
  SECTION("a spring between two masses has their reduced mass's frequency, and loses nothing") {
    Simulation simulation(two_bodies("type = \"prismatic\", axis = [1, 0, 0], value = 0.1, spring.stiffness = 100"),
                          on_cpu);
    const double rate = std::sqrt(100 / (2.0 / 3.0));
    double off = 0.0;
    for (int k = 1; k <= 120; ++k) {
      simulation.advance(1);
      off = std::max(off, std::abs(simulation.joint_state(1).value - 0.1 * std::cos(rate * 0.005 * k)));
    }
    CHECK(off < 7e-5);
    CHECK(glm::length(of_bodies(simulation).linear) < 1e-6);
  }
  SECTION("a spring far stiffer than the substep can follow comes to rest") {
    Simulation simulation(two_bodies("type = \"prismatic\", axis = [1, 0, 0], value = 0.1, spring.stiffness = 1e10"),
                          on_cpu);
    simulation.advance(20);
    CHECK(std::abs(simulation.joint_state(1).value) < 1e-6);
  }
  SECTION("a torque turns both") {
    Simulation simulation(two_bodies("type = \"revolute\", motor.torque = 0.01"), on_cpu);
    simulation.advance(50);
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(0.01 * 0.25 / inertia).epsilon(1e-4));
    // A float's rounding of the speed, 2 rad/s, against h times the acceleration it has to tell.
    CHECK(simulation.joint_load(1)->along == Approx(0.01).epsilon(1e-3));
    simulation.push_joint(1, -0.01);
    simulation.advance(50);
    CHECK(std::abs(simulation.joint_state(1).speed) < 0.05);
    CHECK(glm::length(of_bodies(simulation).angular) < 1e-7);
  }
  SECTION("a motor holds a position, as far as its strength goes") {
    Simulation simulation(
        two_bodies("type = \"revolute\", motor = { target = 40, stiffness = 2, damping = 0.09, strength = 10 }"),
        on_cpu);
    // It swings in by exp(-c t / 2I), to 5e-6 in 0.3 s.
    simulation.advance(60);
    CHECK(simulation.joint_state(1).value == Approx(40.0).margin(0.01));
    simulation.move_joint(1, -20.0);
    simulation.advance(60);
    CHECK(simulation.joint_state(1).value == Approx(-20.0).margin(0.01));
    simulation.push_joint(1, 0.5);  // against a spring of 2 N m/rad
    simulation.advance(60);
    CHECK(simulation.joint_state(1).value == Approx(-20.0 + glm::degrees(0.25)).margin(0.01));
  }
  SECTION("a motor holds a speed, and friction brakes") {
    Simulation simulation(two_bodies("type = \"revolute\", friction = 0.01, motor = { speed = 90, strength = 0.03 }"),
                          on_cpu);
    simulation.advance(10);
    CHECK(glm::radians(simulation.joint_state(1).speed) == Approx(0.02 * 0.05 / inertia).epsilon(1e-3));
    simulation.advance(50);
    CHECK(simulation.joint_state(1).speed == Approx(90.0).margin(1e-3));
  }
  SECTION("friction holds what pushes less, and limits stop") {
    Simulation simulation(two_bodies("type = \"revolute\", friction = 0.02, max = 10, motor.torque = 0.015"), on_cpu);
    simulation.advance(50);
    CHECK(std::abs(simulation.joint_state(1).value) < 5e-4);
    simulation.push_joint(1, 0.5);
    simulation.advance(50);
    CHECK(simulation.joint_state(1).value == Approx(10.0).margin(1e-3));
  }
}

TEST_CASE("Joints tell what they bear", "[linkages]") {
  Simulation simulation(linked(R"(
[[body]]
name = "post"
box.size = [0.1, 0.1, 0.1]
[[body]]
name = "beam"
mass = 3
box.size = [0.8, 0.05, 0.05]
position = [0.4, 0, 0]
parent = "post"
joint.type = "fixed"
joint.origin = [0.05, 0, 0]
[[body]]
name = "weight"
mass = 2
box.size = [0.1, 0.1, 0.1]
position = [0, 0, -0.1]
parent = "beam"
joint = { type = "ball", origin = [0.4, 0, 0], friction = 0.001, max = 45 }
)"),
                        on_cpu);
  simulation.advance(20);
  const std::optional<JointLoad> beam = simulation.joint_load(1), weight = simulation.joint_load(2);
  CHECK(beam->force.z == Approx(5 * g).epsilon(1e-4));
  CHECK(beam->torque.y == Approx(-(3 * 0.4 + 2 * 0.8) * g).epsilon(1e-4));  // held up, about y
  CHECK(weight->force.z == Approx(2 * g).epsilon(1e-4));
  CHECK(!simulation.joint_load(0));
  CHECK(glm::distance(simulation.body_state(1).pose.position, {0.45, 0.0, 0.0}) < 1e-6);
}

TEST_CASE("A ball joint leans no further than it may, and what hangs on a body that moves goes with it", "[linkages]") {
  Simulation simulation(linked(R"(
[[body]]
name = "hand"
sphere.radius = 0.05
motion.position = ["0.5*t", 0, "0.2*sin(3*t)+0"]
[[body]]
name = "rod"
mass = 1
box.size = [0.4, 0.05, 0.05]
position = [0.2, 0, 0]
parent = "hand"
ignores = ["hand"]
joint = { type = "ball", axis = [1, 0, 0], max = 30 }
)"),
                        on_cpu);
  for (int k = 0; k < 200; ++k) {
    simulation.advance(1);
    CHECK(gap(simulation, 0, {}, 1, {-0.2, 0, 0}) < 2e-5);
  }
  const glm::dvec3 along = simulation.body_state(1).pose.rotation * glm::dvec3(1, 0, 0);
  CHECK(glm::degrees(std::acos(along.x)) == Approx(30.0).margin(0.5));
  CHECK(simulation.body_state(1).pose.position.x > 0.6);
}

namespace {

// Every kind of joint, two linkages, contacts with grains and the floor.
Scene machine() {
  Scene scene = linked(R"(
[[body]]
name = "cart"
mass = 4
box.size = [0.4, 0.2, 0.06]
position = [0, 0, -4.8]
ignores = ["left", "right", "arm", "tip"]
[[body]]
name = "left"
mass = 0.5
cylinder = { radius = 0.08, height = 0.05 }
rotation = [90, 0, 0]
parent = "cart"
joint = { type = "revolute", axis = [0, 1, 0], origin = [-0.15, 0.14, -0.05], armature = 0.02, motor = { speed = 200, strength = 2 } }
[[body]]
name = "right"
mass = 0.5
cylinder = { radius = 0.08, height = 0.05 }
rotation = [90, 0, 0]
parent = "cart"
joint = { type = "revolute", axis = [0, 1, 0], origin = [0.15, -0.14, -0.05], friction = 0.01, gear = { body = "left", multiplier = -0.5 } }
[[body]]
name = "arm"
mass = 0.6
box.size = [0.3, 0.04, 0.04]
position = [0.15, 0, 0]
parent = "cart"
joint = { type = "prismatic", axis = [1, 0, 0], origin = [0, 0, 0.06], max = 0.1, armature = 0.5, spring = { stiffness = 50, damping = 1 } }
ignores = ["tip"]
[[body]]
name = "tip"
mass = 0.3
box.size = [0.06, 0.06, 0.06]
parent = "arm"
joint = { type = "fixed", origin = [0.2, 0, 0] }
[[body]]
name = "bob"
mass = 0.4
sphere.radius = 0.05
position = [0, 0, -0.1]
parent = "tip"
joint = { type = "ball", origin = [0, 0, -0.04], friction = 0.002, max = 60 }
[[body]]
name = "swing"
mass = 1
box.size = [0.3, 0.1, 0.05]
position = [0, 0.6, -4.8]
[[joint]]
name = "chain"
bodies = ["swing"]
type = "ball"
origin = [-0.15, 0.6, -4.8]
[[joint]]
name = "tie"
bodies = ["swing"]
type = "revolute"
axis = [0, 1, 0]
origin = [-0.15, 0.6, -4.8]
friction = 0.1
)");
  std::vector<glm::dvec3> places;
  for (int x = 0; x < 14; ++x)
    for (int y = 0; y < 8; ++y)
      places.push_back({0.06 * x - 0.4, 0.06 * y - 0.2, -4.98});
  add_points(scene, 0.015, places, {0.0, 0.0, 0.0});
  scene.dt = 1e-3;
  scene.solver.substeps = 10;
  return scene;
}

}  // namespace

TEST_CASE("Passes of linkages agree with their references", "[device][linkages][lockstep]") {
  const Method method = GENERATE(Method::dem, Method::vts, Method::p2);
  Scene scene = machine();
  scene.solver = default_solver(method);
  scene.solver.substeps = 3;
  scene.worlds = 2;
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  simulation.push_joint(1, 0.5);
  REQUIRE_NOTHROW(simulation.advance(4));
  CHECK(simulation.joint_state(1).speed != 0.0);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("A joint on a device counts its turns", "[device][linkages]") {
  Scene scene = parse_scene(R"([time]
dt = 0.01
end = 1
[domain]
min = [-1, -1, -1]
max = [1, 1, 1]
[solver]
method = "dem"
substeps = 5
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.01
fill.points = [[0.9, 0.9, -0.99]]
[[body]]
name = "post"
box.size = [0.1, 0.1, 0.1]
[[body]]
name = "arm"
mass = 1
box.size = [0.3, 0.02, 0.02]
position = [0.3, 0, 0]
parent = "post"
ignores = ["post"]
joint = { type = "revolute", axis = [0, 1, 0], motor = { speed = 1000, strength = 50 } }
)",
                            "turns.toml");
  Simulation simulation(scene, on_device());
  simulation.advance(60);
  // 600 degrees, less what it needs to reach its speed.
  CHECK(simulation.joint_state(1).speed == Approx(1000.0).epsilon(1e-4));
  CHECK(simulation.joint_state(1).value == Approx(590.0).margin(10.0));
}

TEST_CASE("A run with linkages repeats bit for bit, and goes on so when it is resumed", "[linkages]") {
  const Scene scene = machine();
  const auto run = [&](int threads, std::uint64_t first, std::uint64_t second) {
    Options options = on_cpu;
    options.threads = threads;
    Scratch scratch;
    Simulation simulation(scene, options);
    simulation.push_joint(2, 0.1);
    simulation.advance(first);
    simulation.save(scratch / "state.talus");
    Simulation other(scene, options);
    other.resume(scratch / "state.talus");
    other.advance(second);
    CHECK(other.joint_load(1)->force.z != 0.0);
    return other.state_hash();
  };
  const std::uint64_t hash = run(1, 40, 0);
  CHECK(run(2, 40, 0) == hash);
  CHECK(run(2, 15, 25) == hash);
}

TEST_CASE("A scene with joints is written and read again, and wrong ones are named", "[linkages][scene]") {
  const Scene scene = machine();
  CHECK(to_toml(parse_scene(to_toml(scene), "again.toml")) == to_toml(scene));
  const std::string base =
      "[[material]]\nname = \"sand\"\n[domain]\nmin = [-1, -1, -1]\nmax = [1, 1, 1]\n[[body]]\nname = "
      "\"a\"\nmass = 1\nsphere.radius = 0.1\n[[body]]\nname = \"b\"\nsphere.radius = 0.1\nposition = "
      "[0.5, 0, 0]\n";
  const auto says = [&](const std::string& more, const std::string& words) {
    const std::string error = error_of([&] { parse_scene(base + more, "s.toml"); });
    CAPTURE(error, words);
    CHECK(contains(error, words));
  };
  says("mass = 1\nparent = \"a\"\n", "parent needs a joint beside it");
  says("parent = \"a\"\n", "cannot carry a body that moves as it is told: give this one a mass");
  says("mass = 1\njoint.type = \"fixed\"\n", "no way to move");
  says("mass = 1\nparent = \"b\"\njoint.type = \"ball\"\n", "closes a loop of parents");
  says("[[joint]]\nname = \"j\"\nbodies = [\"a\", \"c\"]\ntype = \"ball\"\n", "joins \"c\", which is not a body");
  says("[[joint]]\nname = \"j\"\nbodies = [\"b\"]\ntype = \"ball\"\n", "holds no body with a mass");
  says("[[joint]]\nname = \"j\"\nbodies = [\"a\", \"a\"]\ntype = \"ball\"\n", "with itself");
  says("[[joint]]\nname = \"j\"\nbodies = [\"a\"]\ntype = \"revolute\"\nmin = 5\nmax = 6\n", "at the value 0");
  says("[[joint]]\nname = \"j\"\nbodies = [\"a\"]\ntype = \"revolute\"\nmotor.speed = 5\n", "motor");
  const std::string third =
      "mass = 1\njoint.type = \"revolute\"\n[[body]]\nname = \"c\"\nmass = 1\nsphere.radius = 0.1\n"
      "position = [0, 0.5, 0]\njoint = { type = \"revolute\", value = 5, gear = { body = ";
  says(third + "\"d\" } }\n", "ties the joint to body \"d\", which is not in this scene");
  says(third + "\"a\" } }\n", "must be a revolute or prismatic joint of a body with mass or density");
  says(third + "\"c\" } }\n", "to itself");
  says(third + "\"b\" } }\n", "gives the joint the value 0 at the start, where it says 5");
  says(third + "\"b\", ratio = 3 } }\n", "ratio");
  says("joint = { type = \"revolute\", gear.body = \"a\" }\n",
       "gear has no meaning for the joint of a body without mass");
  says("mass = 1\njoint = { type = \"ball\", armature = 1 }\n", "armature has no meaning for a ball joint");
  says("joint = { type = \"revolute\", armature = 1 }\n",
       "armature has no meaning for the joint of a body without mass");
  says("mass = 1\njoint = { type = \"revolute\", armature = -1 }\n", "armature");
  says("mass = 1\njoint = { type = \"revolute\", motor = { target = 5, strength = 1 } }\n", "needs a stiffness");
  says("mass = 1\njoint = { type = \"revolute\", motor = { speed = 5 } }\n", "lacks the key strength");
  says("mass = 1\njoint = { type = \"revolute\", motor = { torque = 5, damping = 1 } }\n", "without a target");
  says("mass = 1\njoint = { type = \"revolute\", spring.rest = 5 }\n", "give stiffness, damping or both");
  says("mass = 1\ninertia = [1, 1, 1]\n", "center_of_mass and inertia");
  says("mass = 1\ncenter_of_mass = [0, 0, 0]\ninertia = [1, 1, 3]\n", "which no body has");
  std::string many = "mass = 1\n";
  for (int k = 0; k < 90; ++k)
    many += fmt::format("[[joint]]\nname = \"j{}\"\nbodies = [\"a\", \"b\"]\ntype = \"fixed\"\n", k);
  CHECK(
      contains(error_of([&] { Simulation simulation(parse_scene(base + many, "s.toml"), on_cpu); }), "540 equations"));
}

TEST_CASE("Mass, center of mass and inertia are those that a scene gives", "[linkages]") {
  Simulation simulation(linked(R"(
[[body]]
name = "pendulum"
mass = 2
center_of_mass = [0, 0, -0.5]
inertia = [0.02, 0.03, 0.01, 0, 0, 0]
sphere.radius = 0.05
joint = { type = "revolute", axis = [0, 1, 0], value = 1 }
)"),
                        on_cpu);
  const double rate = std::sqrt(2 * g * 0.5 / (0.03 + 2 * 0.25));
  simulation.advance(200);
  CHECK(simulation.joint_state(0).value == Approx(std::cos(rate)).margin(2e-3));
}
