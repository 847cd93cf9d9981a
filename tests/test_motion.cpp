// Bodies that move: what scenes say against closed forms, and commands within their limits.
#include "engine/motion/drive.h"
#include "engine/scene/bodies.h"
#include "engine/scene/curve.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <glm/ext/matrix_transform.hpp>

using namespace talus;
using namespace talus_tests;

namespace {

double angle_between(const glm::dquat& a, const glm::dquat& b) {
  const glm::dquat q = b * glm::conjugate(a);
  return 2 * std::atan2(std::hypot(q.x, q.y, q.z), std::abs(q.w));
}

void check_pose(const Pose& pose, const glm::dvec3& position, const glm::dquat& rotation) {
  CAPTURE(pose.position.x, pose.position.y, pose.position.z, position.x, position.y, position.z);
  CHECK(glm::length(pose.position - position) < 1e-9);
  CHECK(angle_between(pose.rotation, rotation) < 1e-9);
}

glm::dquat about(const glm::dvec3& axis, double degrees) {
  return glm::angleAxis(glm::radians(degrees), glm::normalize(axis));
}

// A body of a scene file: a ball and what moves it.
std::string ball(const std::string& name, const std::string& keys) {
  return "[[body]]\nname = \"" + name + "\"\nsphere.radius = 0.1\n" + keys + "\n";
}

Scene scene_with(const std::string& bodies, double end = 4.0) {
  return parse_scene(fmt::format("[time]\ndt = 0.01\nend = {}\n", end) + bodies, "s.toml");
}

// Where a body is at a time.
Pose pose_at(const Scene& scene, double time, std::size_t body = 0) {
  return Kinematics(scene).in_world(time, scene.dt)[body].begin;
}

// Of everything that can move a body, in one scene; and a domain with a periodic axis.
Scene all_kinds() {
  return scene_with("[domain]\nx = \"periodic\"\n" + ball("constant", "velocity = [0.3, 0, 0.1]\nspin = [0, 2, 1]") +
                    ball("keys", "position = [0, 0, 1]\nkeyframes = [{ time = 0, position = [0, 0, 0] }, { time = 1, "
                                 "position = [0.5, 0, 0], rotation = [0, 0, 90] }, { time = 2, rotation = [40, 0, "
                                 "720] }]") +
                    ball("wave", "motion = { position = [\"0.1*sin(2*pi*t)\", 0, 0], rotation = [0, 0, \"90*t\"] }") +
                    ball("drum", "joint = { type = \"revolute\", axis = [1, 1, 0], value = \"36000*t\" }") +
                    ball("slide", "parent = \"wave\"\nposition = [0, 0.2, 0]\njoint = { type = \"prismatic\", value = "
                                  "[[0, 0], [1, 0.5], [3, 0]], repeat = true, min = 0, max = 0.5 }") +
                    ball("tip", "parent = \"slide\"\njoint = { type = \"revolute\", axis = [0, 1, 0], origin = [0, "
                                "0, 0.3], value = \"30*sin(3*t)\" }") +
                    ball("held", "parent = \"tip\"\nposition = [0.1, 0, 0]\njoint = { type = \"fixed\" }"));
}

}  // namespace

TEST_CASE("Curves go through their points, smoothly and without overshoot", "[motion]") {
  const Curve ease({1.0, 3.0}, {0.0, 5.0}, Interpolation::smooth, false);
  for (const double x : {0.0, 0.2, 0.5, 0.9, 1.0})
    CHECK(ease.at(1 + 2 * x) == Approx(5 * x * x * (3 - 2 * x)));
  CHECK(ease.at(-1.0) == 0.0);
  CHECK(ease.at(9.0) == 5.0);
  const Curve line({0.0, 1.0, 2.0}, {0.0, 4.0, 2.0}, Interpolation::linear, false);
  CHECK(line.at(0.25) == Approx(1.0));
  CHECK(line.at(1.5) == Approx(3.0));
  const Curve even({0.0, 1.0, 2.0, 3.0}, {0.0, 2.0, 4.0, 6.0}, Interpolation::smooth, false);
  CHECK(even.at(1.3) == Approx(2.6));                                        // straight between points on a line
  const Curve turns({0.0, 1.0}, {0.0, 360.0}, Interpolation::smooth, true);  // with constant speed, for ever
  CHECK(turns.at(2.25) == Approx(810.0));
  CHECK(turns.at(-0.25) == Approx(-90.0));

  std::mt19937 random(1);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (int run = 0; run < 40; ++run) {
    std::vector<double> times{0.0}, values{0.0};
    for (int i = 0; i < 6; ++i) {
      times.push_back(times.back() + 0.1 + uniform());
      values.push_back(uniform());
    }
    const bool repeat = run % 2 == 1;
    values.back() = repeat ? 0.0 : values.back();
    const Curve curve(times, values, Interpolation::smooth, repeat);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      CHECK(curve.at(times[i]) == Approx(values[i]).margin(1e-12));
      const double low = std::min(values[i], values[i + 1]), high = std::max(values[i], values[i + 1]);
      for (double x = 0.0; x <= 1.0; x += 0.05) {
        const double value = curve.at(times[i] + x * (times[i + 1] - times[i]));
        CHECK((value >= low - 1e-12 && value <= high + 1e-12));
      }
    }
    for (const double t : times) {  // equal slopes on both sides
      const double d = 1e-6;
      CHECK((curve.at(t + d) - curve.at(t)) / d == Approx((curve.at(t) - curve.at(t - d)) / d).margin(1e-3));
    }
  }
}

TEST_CASE("Bodies are where their motions say", "[motion]") {
  const glm::dvec3 z(0, 0, 1);
  SECTION("constant velocities") {
    const Scene s = scene_with(ball("a", "position = [1, 0, 0]\nrotation = [90, 0, 0]\nvelocity = [1, 2, 3]\nspin = "
                                         "[0, 0, 2]"));
    check_pose(pose_at(s, 1.5), {2.5, 3.0, 4.5}, glm::angleAxis(3.0, z) * about({1, 0, 0}, 90));
  }
  SECTION("keyframes") {
    const std::string keys = "position = [1, 0, 0]\nrotation = [90, 0, 0]\nkeyframes = [{ time = 1 , position = [0, 0, "
                             "0], rotation = [0, 0, 0] }, { time = 2, rotation = [0, 0, 360] }, { time = 3, position = "
                             "[0, 2, 0], rotation = [0, 0, 720] }]\n";
    const Scene smooth = scene_with(ball("a", keys)),
                linear = scene_with(ball("a", keys + "interpolation = \"linear\""));
    const glm::dquat own = about({1, 0, 0}, 90);
    for (const Scene& s : {smooth, linear}) {
      check_pose(pose_at(s, 0.0), {1, 0, 0}, own);
      check_pose(pose_at(s, 2.0), {1, 1, 0}, own);
      check_pose(pose_at(s, 3.5), {1, 2, 0}, own);
    }
    check_pose(pose_at(linear, 1.25), {1, 0.25, 0}, about(z, 90) * own);
    const double x = 0.25;
    CHECK(pose_at(smooth, 1.5).position.y == Approx(2 * x * x * (3 - 2 * x)));
  }
  SECTION("repeated keyframes") {
    const Scene s = scene_with(ball("a", "repeat = true\ninterpolation = \"linear\"\nkeyframes = [{ time = 0, position "
                                         "= [0, 0, 0] }, { time = 1, position = [1, 0, 0] }, { time = 2, position = "
                                         "[0, 0, 0] }]"));
    check_pose(pose_at(s, 20.75), {0.75, 0, 0}, about(z, 0));
    check_pose(pose_at(s, 21.75), {0.25, 0, 0}, about(z, 0));
  }
  SECTION("formulas") {
    const Scene s = scene_with(ball("a", "position = [0, 0, 1]\nrotation = [0, 20, 0]\nmotion = { position = "
                                         "[\"0.1*sin(2*pi*t)\", 0.5, \"t < 1 ? 0 : mod(t, 1)\"], rotation = [\"10*t\", "
                                         "0, \"90*t\"] }"));
    for (const double t : {0.0, 0.3, 1.25, 3.9})
      check_pose(pose_at(s, t), {0.1 * std::sin(2 * pi_ * t), 0.5, 1 + (t < 1 ? 0.0 : t - std::floor(t))},
                 about(z, 90 * t) * about({1, 0, 0}, 10 * t) * about({0, 1, 0}, 20));
  }
  SECTION("joints") {
    const Scene s = scene_with(
        ball("hinge", "position = [0, 0, 1]\nrotation = [5, 0, 0]\njoint = { type = \"revolute\", axis = [0, 3, 0], "
                      "origin = [1, 2, 3], rotation = [0, 0, 90], value = \"40*t\" }") +
        ball("piston", "position = [0, 0, 1]\njoint = { type = \"prismatic\", axis = [0, 3, 0], origin = [1, 2, 3], "
                       "rotation = [0, 0, 90], value = [[0, 0], [2, 1]], interpolation = \"linear\" }"));
    const double t = 0.6;
    const glm::dquat turn = about(z, 90) * about({0, 1, 0}, 24);
    check_pose(pose_at(s, t, 0), glm::dvec3(1, 2, 3) + turn * z, turn * about({1, 0, 0}, 5));
    check_pose(pose_at(s, t, 1), {1 - 0.3, 2, 4}, about(z, 90));
  }
  SECTION("on a parent that moves by itself, and stands after it in the file") {
    const Scene s = scene_with(ball("child", "parent = \"turntable\"\nposition = [0.5, 0, 0]\nvelocity = [0, 0, 1]") +
                               ball("turntable", "position = [0, 0, 1]\nspin = [0, 0, 2]"));
    check_pose(pose_at(s, 0.7), {0.5 * std::cos(1.4), 0.5 * std::sin(1.4), 1.7}, glm::angleAxis(1.4, z));
  }
}

TEST_CASE("A chain of seven joints is the product of its transforms", "[motion]") {
  std::string text;
  const double angles[] = {20, -35, 50, 80, -110, 15, 140};
  const glm::dvec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {1, 2, 3}};
  glm::dmat4 expected(1.0);
  for (int i = 0; i < 7; ++i) {
    const glm::dvec3 origin(0.1 * i, 0.02, 0.3), a = axes[i], own(0.01 * i, 0.0, 0.05);
    // In the file the hand comes first.
    text =
        ball(fmt::format("link{}", i), fmt::format("{}position = [{}, 0, 0.05]\njoint = {{ type = \"revolute\", axis "
                                                   "= [{}, {}, {}], origin = [{}, 0.02, 0.3], rotation = [0, 0, {}], "
                                                   "value = {} }}",
                                                   i ? fmt::format("parent = \"link{}\"\n", i - 1) : "", own.x, a.x,
                                                   a.y, a.z, origin.x, 10 * i, angles[i])) +
        text;
    expected = glm::translate(expected, origin);
    expected = glm::rotate(expected, glm::radians(10.0 * i), {0, 0, 1});
    expected = glm::rotate(expected, glm::radians(angles[i]), glm::normalize(a));
    expected = glm::translate(expected, own);
  }
  check_pose(pose_at(scene_with(text), 1.0, 0), glm::dvec3(expected[3]), glm::quat_cast(expected));
}

TEST_CASE("Velocities of bodies lead from each step's pose to the next", "[motion]") {
  const Scene scene = all_kinds();
  Drive drive(scene);
  drive.drive_body(0, 1, {{0.4, 0.0, 0.2}, {0.0, 3.0, 0.0}}, {.acceleration = 1.0, .spin_acceleration = 4.0});
  const std::size_t bodies = scene.bodies.size(), steps = 300;
  const Drive::Batch batch = drive.batch(0, steps + 1);
  double fastest = 0.0;
  for (std::size_t s = 0; s < steps; ++s) {
    double speed = 0.0;
    for (std::size_t b = 0; b < bodies; ++b) {
      const BodyMotion &m = batch.motions[s * bodies + b], &n = batch.motions[(s + 1) * bodies + b];
      const glm::dvec3 there = glm::dvec3(m.position) + scene.dt * glm::dvec3(m.velocity),
                       way(glm::dvec3(n.position) - there);
      CAPTURE(s, scene.bodies[b].name);
      CHECK(glm::length(glm::dvec3(std::remainder(way.x, 2.0), way.y, way.z)) < 1e-6);
      CHECK((n.position.x >= -1.0f && n.position.x <= 1.0f));
      const auto q = [](const vec4& v) { return glm::dquat(v.w, v.x, v.y, v.z); };
      CHECK(angle_between(rotation_by(scene.dt * glm::dvec3(m.spin)) * q(m.rotation), q(n.rotation)) < 1e-5);
      speed = std::max(speed, glm::length(glm::dvec3(m.velocity)) + 0.1 * glm::length(glm::dvec3(m.spin)));
    }
    CHECK(batch.speeds[s] == Approx(speed).epsilon(1e-5));
    fastest = std::max(fastest, speed);
  }
  // 36,000 degrees in a second: a turn in each step, which poses do not show.
  CHECK(glm::length(glm::dvec3(batch.motions[3].spin)) == Approx(200 * pi_));
  CHECK(fastest == Approx(check_motions(all_kinds())).epsilon(1e-3));
}

TEST_CASE("Motion under limits arrives at its end exactly, never past it", "[motion]") {
  std::mt19937 random(2);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (int run = 0; run < 200; ++run) {
    const double dt = 0.001 + 0.03 * uniform(), way = std::pow(10.0, 4 * uniform() - 3);
    const Limits limits{0.2 + 2 * uniform(), 0.2 + 5 * uniform()};
    double x = 0.0, v = 0.0, t = 0.0;
    CAPTURE(run, dt, way, limits.speed, limits.acceleration);
    int beyond = 0;
    while (x < way * (1 - 1e-9) && t < 100.0) {
      const double next = velocity_to({way - x, 0.0, 0.0}, {v, 0.0, 0.0}, limits, dt).x;
      beyond +=
          next < 0.0 || next > limits.speed * (1 + 1e-12) || std::abs(next - v) > limits.acceleration * dt * (1 + 1e-6);
      v = next;
      x += dt * v;
      t += dt;
    }
    CHECK(beyond == 0);
    CHECK(x == Approx(way).epsilon(1e-12));
    CHECK(v <= limits.acceleration * dt * (1 + 1e-6));  // and then it stands
    const double ramp = limits.speed / limits.acceleration;
    const double least =
        way > limits.speed * ramp ? way / limits.speed + ramp : 2 * std::sqrt(way / limits.acceleration);
    CHECK(t >= least - dt - 1e-9);  // the first step has a velocity at once
    CHECK(t <= least + dt);
  }
  for (int run = 0; run < 50; ++run) {  // from any velocity
    glm::dvec3 x(0.0), v = 4.0 * (glm::dvec3{uniform(), uniform(), uniform()} - 0.5);
    const glm::dvec3 target{uniform(), uniform(), uniform()};
    for (int step = 0; step < 2000; ++step) {
      v = velocity_to(target - x, v, {1.5, 2.0}, 0.01);
      x += 0.01 * v;
    }
    CHECK(glm::length(x - target) < 1e-12);
    CHECK(glm::length(v) < 1e-9);
  }
}

TEST_CASE("Commanded bodies keep their limits and hold their targets", "[motion]") {
  Scene scene = scene_of(0.01, 1, 1);
  scene.domain.axis[0] = Axis::periodic;
  scene.bodies = {body_of("arm", {{BoxPart{{0.1, 0.1, 0.1}}}}, {0.8, 0.0, 1.0})};
  Simulation simulation(scene, on_cpu);
  const BodyLimits limits{.speed = 0.5, .acceleration = 1.0, .spin = 2.0, .spin_acceleration = 4.0};
  SECTION("to a pose, across a periodic axis") {
    const Pose target{{-0.8, 0.3, 1.2}, about({1, 2, 3}, 150)};
    simulation.move_body(0, {target.position, 7.0 * target.rotation}, limits);
    Twist before;
    for (int step = 0; step < 400; ++step) {
      const BodyState s = simulation.body_state(0);
      CHECK(glm::length(s.twist.velocity) <= limits.speed * (1 + 1e-9));
      CHECK(glm::length(s.twist.spin) <= limits.spin * (1 + 1e-9));
      CHECK(glm::length(s.twist.velocity - before.velocity) <= limits.acceleration * 0.01 * (1 + 1e-6));
      CHECK(glm::length(s.twist.spin - before.spin) <= limits.spin_acceleration * 0.01 * (1 + 1e-6));
      CHECK(std::abs(s.pose.position.x) >= 0.8 - 1e-9);  // the short way
      before = s.twist;
      simulation.advance(1);
    }
    const BodyState s = simulation.body_state(0);
    check_pose(s.pose, target.position, target.rotation);
    CHECK(glm::length(s.twist.velocity) == 0.0);
    CHECK(glm::length(s.twist.spin) == 0.0);
  }
  SECTION("to velocities") {
    simulation.drive_body(0, {{0.0, 3.0, 4.0}, {0.0, 0.0, 1.0}}, limits);
    simulation.advance(200);
    const BodyState s = simulation.body_state(0);
    CHECK(glm::length(s.twist.velocity - glm::dvec3(0.0, 0.3, 0.4)) < 1e-9);
    CHECK(glm::length(s.twist.spin - glm::dvec3(0.0, 0.0, 1.0)) < 1e-9);
    // 0.5 m/s after 50 steps of 1 m/s2; the first of them has its velocity at once.
    CHECK(glm::length(s.pose.position - glm::dvec3(0.8, 0.0, 1.0)) == Approx(0.5 * (2.0 - 0.5 + 0.25) + 0.0025));
  }
  SECTION("at once, without limits") {
    simulation.move_body(0, {{0.5, 0.0, 1.0}, {1, 0, 0, 0}});
    CHECK(simulation.body_state(0).twist.velocity.x == Approx(-30.0));
    simulation.advance(1);
    CHECK(simulation.body_state(0).pose.position.x == 0.5);
  }
  SECTION("in the frame of a parent that moves") {
    scene.bodies[0].parent = "table";
    scene.bodies.push_back(body_of("table", {{SpherePart{0.1}}}, {0.0, 0.5, 0.0}));
    scene.bodies[1].spin = {0.0, 0.0, 1.0};
    Simulation turning(scene, on_cpu);
    turning.move_body(0, {{0.2, 0.0, 0.3}, about({1, 0, 0}, 90)}, limits);
    turning.advance(400);
    const glm::dquat turn = glm::angleAxis(4.0, glm::dvec3(0, 0, 1));
    check_pose(turning.body_state(0).pose, glm::dvec3(0.0, 0.5, 0.0) + turn * glm::dvec3(0.2, 0.0, 0.3),
               turn * about({1, 0, 0}, 90));
    CHECK(glm::length(turning.body_state(0).twist.spin - glm::dvec3(0, 0, 1)) < 1e-9);
  }
  SECTION("from the motion of the scene on") {
    scene.bodies[0].velocity = {0.0, 0.2, 0.0};
    Simulation moving(scene, on_cpu);
    moving.advance(50);
    moving.drive_body(0, {}, {.acceleration = 0.1});
    CHECK(moving.body_state(0).pose.position.y == Approx(0.1));
    CHECK(moving.body_state(0).twist.velocity.y == Approx(0.2 - 0.1 * 0.01));
  }
}

TEST_CASE("Commanded joints keep their limits, and take what hangs on them along", "[motion]") {
  const Scene scene = scene_with(
      ball("boom",
           "joint = { type = \"revolute\", axis = [0, 1, 0], min = -20, max = 60, speed = 30, acceleration = 40, "
           "value = \"10*sin(t)\" }") +
      ball("stick",
           "parent = \"boom\"\njoint = { type = \"prismatic\", axis = [1, 0, 0], origin = [1, 0, 0], min = 0, max "
           "= 0.5, speed = 0.2 }"));
  Simulation simulation(scene, on_cpu);
  const std::uint32_t boom = simulation.body("boom"), stick = simulation.body("stick");
  simulation.advance(100);
  CHECK(simulation.joint_state(boom).value == Approx(10 * std::sin(1.0)));
  JointState before = simulation.joint_state(boom);
  const auto follow = [&](int steps) {
    for (int step = 0; step < steps; ++step) {
      simulation.advance(1);
      const JointState s = simulation.joint_state(boom);
      CHECK((s.value >= -20 && s.value <= 60));
      CHECK(std::abs(s.speed) <= 30 * (1 + 1e-9));
      CHECK(std::abs(s.speed - before.speed) <= 40 * 0.01 * (1 + 1e-6));
      CHECK(s.value == Approx(before.value + 0.01 * before.speed).margin(1e-9));
      before = s;
    }
  };
  simulation.move_joint(boom, 45.0);
  simulation.drive_joint(stick, 5.0);
  before = simulation.joint_state(boom);
  follow(300);
  CHECK(before.value == 45.0);
  CHECK(before.speed == 0.0);
  CHECK(simulation.joint_state(stick).value == 0.5);
  check_pose(simulation.body_state(stick).pose, about({0, 1, 0}, 45) * glm::dvec3(1.5, 0.0, 0.0), about({0, 1, 0}, 45));
  simulation.drive_joint(boom, -100.0);
  before = simulation.joint_state(boom);
  follow(100);
  CHECK(before.speed == Approx(-30.0));
  follow(400);
  CHECK(before.value == Approx(-20.0).epsilon(1e-12));
  CHECK(before.speed == Approx(0.0).margin(1e-9));
}

TEST_CASE("Wrong commands are named and change nothing", "[motion]") {
  const Scene scene = scene_with(ball("boom", "joint = { type = \"revolute\", min = -20, max = 60 }") +
                                 ball("free", "") + ball("rigid", "joint = { type = \"fixed\" }"));
  Simulation simulation(scene, on_cpu);
  const auto says = [](const std::string& what, auto command) {
    std::string said = "nothing";
    try {
      command();
    } catch (const std::invalid_argument& e) {
      said = e.what();
    }
    INFO(said);
    CHECK(contains(said, what));
  };
  const double nan = std::nan("");
  says("no body bom", [&] { simulation.body("bom"); });
  says("the scene has 3", [&] { simulation.body_state(3); });
  says("is moved by its joint", [&] { simulation.move_body(0, {}); });
  says("has no joint", [&] { simulation.move_joint(1, 0.0); });
  says("has no joint", [&] { simulation.joint_state(1); });
  says("is fixed", [&] { simulation.drive_joint(2, 1.0); });
  says("limits are -20 and 60", [&] { simulation.move_joint(0, 61.0); });
  says("limits are -20 and 60", [&] { simulation.move_joint(0, nan); });
  says("must be finite", [&] { simulation.drive_joint(0, nan); });
  says("must be finite", [&] { simulation.move_body(1, {{nan, 0, 0}}); });
  says("must be finite", [&] { simulation.move_body(1, {{}, {0, 0, 0, 0}}); });
  says("must be finite", [&] { simulation.drive_body(1, {{0, 0, nan}}); });
  says("above 0", [&] { simulation.drive_body(1, {}, {.speed = 0.0}); });
  CHECK(Drive(scene).to_bytes() == std::vector<std::byte>(16));
  simulation.advance(1);
  check_pose(simulation.body_state(1).pose, {}, about({0, 0, 1}, 0));
}

TEST_CASE("Grains move as what carries or pushes them", "[motion]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  if (variant.solver.sleep_speed > 0.0 || variant.solver.detection != Detection::lists)
    return;  // sleeping grains stay behind, without lists friction is forgotten
  const double r = 0.02;
  Scene scene = with(scene_of(1.0 / 480, 2, 10), variant.solver);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.5;
  const auto formula = [](const char* text) { return Formula{text, ""}; };
  SECTION("a belt that starts slowly") {
    scene.bodies.push_back(body_of("belt", {{BoxPart{{20.0, 1.0, 0.2}}}}, {0.0, 0.0, -0.1}));
    add_points(scene, r, {{0.0, 0.0, r}});
    Simulation simulation(scene, on_cpu);
    simulation.drive_body(0, {{1.0, 0.0, 0.0}, {}}, {.acceleration = 2.0});
    simulation.advance(240);  // at 1 m/s after half a second
    CHECK(simulation.grains()[0].velocity.x == Approx(1.0).epsilon(1e-2));
    simulation.advance(240);
    CHECK(simulation.grains()[0].velocity.x == Approx(1.0).epsilon(2e-3));
    CHECK(simulation.grains()[0].position.x == Approx(simulation.body_state(0).pose.position.x).margin(5e-3));
  }
  SECTION("a turntable on a joint") {
    scene.bodies.push_back(body_of("table", {{ConePart{2.0, 2.0, 0.2}}}, {0.0, 0.0, -0.1}));
    scene.bodies[0].motion = Joint{.value = formula("30*t*t")};  // up to pi/3 rad/s
    add_points(scene, r, {{0.3, 0.0, r}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    const glm::vec3 p = simulation.grains()[0].position;
    CHECK(std::hypot(p.x, p.y) == Approx(0.3).epsilon(2e-2));
    CHECK(std::atan2(p.y, p.x) == Approx(pi_ / 6).epsilon(3e-2));
    CHECK(glm::length(simulation.grains()[0].velocity) == Approx(0.3 * pi_ / 3).epsilon(2e-2));
  }
  SECTION("a pusher") {
    scene.domain.gravity = {0.0, 0.0, 0.0};
    scene.bodies.push_back(body_of("pusher", {{BoxPart{{0.1, 0.5, 0.5}}}}, {-0.05, 0.0, 0.0}));
    scene.bodies[0].motion = Functions{.position = {formula("0.5*t*t"), formula("0"), formula("0")}};
    add_points(scene, r, {{r, 0.0, 0.0}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    CHECK(simulation.grains()[0].velocity.x == Approx(1.0).epsilon(1e-2));
    CHECK(simulation.grains()[0].position.x == Approx(0.5 + r).epsilon(1e-2));
  }
}

TEST_CASE("Fills leave the places out where motions start", "[motion]") {
  Scene scene = scene_of(1.0 / 240, 1, 1);
  scene.bodies.push_back(body_of("ball", {{SpherePart{0.2}}}));
  scene.bodies[0].motion = Joint{.type = JointType::prismatic, .origin = {0.0, 0.0, 0.1}, .value = 0.4};
  GrainGroup group;
  group.radius_min = group.radius_max = 0.02;
  group.shape = BoxFill{{-0.4, -0.4, 0.0}, {0.4, 0.4, 1.0}};
  group.sampling = Sampling::lattice;
  scene.grains = {group};
  double nearest = 1.0;
  for (const Seed& seed : populate(scene).initial)
    nearest = std::min(nearest, glm::length(glm::dvec3(seed.position) - glm::dvec3(0.0, 0.0, 0.5)) - 0.22);
  CHECK(nearest > -1e-6);
  CHECK(nearest < 0.02);
}

namespace {

// Bodies among grains, moved by the scene and by commands.
Scene driven_jumble(unsigned n) {
  Scene scene = with(jumble_with_bodies(n), {.method = Method::dem, .iterations = 1});
  const auto joint = [](const char* text) { return Joint{.axis = {0.0, 1.0, 0.0}, .value = Formula{text, ""}}; };
  scene.bodies[1].spin = {};
  scene.bodies[1].motion = joint("40*sin(5*t)");
  scene.bodies[4].velocity = {};
  scene.bodies[4].parent = "ball";
  scene.bodies[4].position = {0.0, 0.0, 0.1};
  scene.bodies[4].motion =
      Joint{.type = JointType::prismatic, .min = 0.0, .max = 0.05, .speed = 0.2, .acceleration = 2.0};
  return scene;
}
void command(Simulation& simulation) {
  simulation.move_body(2, {{0.0, 0.0, 0.1}, {1, 0, 0, 0}}, {.speed = 0.4, .acceleration = 3.0, .spin = 2.0});
  simulation.drive_body(3, {{0.0, 0.3, 0.0}, {0.0, 0.0, 3.0}}, {.acceleration = 1.0, .spin_acceleration = 5.0});
  simulation.move_joint(4, 0.04);
}

void check_resumed(const Options& options, unsigned grains) {
  const Scratch scratch;
  const Scene scene = driven_jumble(grains);
  Simulation whole(scene, options), half(scene, options);
  for (Simulation* s : {&whole, &half}) {
    s->advance(3);
    command(*s);
  }
  whole.advance(17);
  half.advance(6);
  half.save(scratch / "half.talus");
  Simulation rest(scene, options);
  rest.resume(scratch / "half.talus");
  rest.advance(11);
  CHECK(rest.state_hash() == whole.state_hash());
  for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyState x = rest.body_state(b), y = whole.body_state(b);
    CHECK((x.pose.position == y.pose.position && x.pose.rotation == y.pose.rotation));
    CHECK((x.twist.velocity == y.twist.velocity && x.twist.spin == y.twist.spin));
  }
  CHECK(whole.body_state(3).twist.velocity.y > 0.1);
  CHECK(complaints(whole).empty());
}

}  // namespace

TEST_CASE("A run with commanded bodies goes on from a checkpoint to the same bits", "[motion]") {
  check_resumed(on_cpu, 300);
}

TEST_CASE("A run with commanded bodies goes on from a checkpoint to the same bits on a device", "[device][motion]") {
  check_resumed(on_one_device(), 200);
}

TEST_CASE("Commanded bodies move in lockstep", "[device][motion]") {
  Simulation simulation(driven_jumble(200), in_lockstep());
  command(simulation);
  simulation.advance(5);
}

TEST_CASE("A joint that is driven faster than it may move says so once, and what cannot be is refused", "[motion]") {
  Simulation simulation(driven_jumble(1), on_cpu);
  const std::size_t before = simulation.notes().size();
  simulation.drive_joint(4, 0.2);
  simulation.drive_joint(1, 1e5);  // has no limit
  CHECK(simulation.notes().size() == before);
  for (int i = 0; i < 3; ++i)
    simulation.drive_joint(4, -30.0 - i);
  REQUIRE(simulation.notes().size() == before + 1);
  CHECK(simulation.notes().back() ==
        fmt::format("the joint of body {} is commanded to move at -30 m/s, and reaches -0.2 "
                    "m/s: its speed in the scene is the limit",
                    simulation.scene().bodies[4].name));
  try {
    simulation.drive_joint(4, 1e9);
    FAIL("no error");
  } catch (const std::invalid_argument& e) {
    CHECK(std::string(e.what()) ==
          "the speed to reach must be finite and from -1000000 to 1000000 (degrees/s or m/s), not 1000000000");
  }
}

TEST_CASE("A run that falls back takes its commands back, too", "[motion]") {
  Simulation simulation(driven_jumble(50), on_cpu);
  command(simulation);
  simulation.advance(4);
  const BodyState before = simulation.body_state(2);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 1);
  grains[0].velocity.x = std::nanf("");
  write_field(simulation.executor(), FieldId::grains, grains);
  CHECK_THROWS_AS(simulation.advance(3), StateError);
  CHECK(simulation.body_state(2).pose.position == before.pose.position);
}

TEST_CASE("A checkpoint with commands for another scene is refused", "[motion]") {
  const Drive drive(driven_jumble(1));
  Drive other(scene_with(ball("a", "") + ball("b", "")));
  other.drive_body(0, 1, {}, {});
  CHECK_FALSE(drive.from_bytes(other.to_bytes()));  // there it hangs on a joint
  auto bytes = other.to_bytes();
  CHECK(other.from_bytes(bytes));
  bytes.pop_back();
  CHECK_FALSE(other.from_bytes(bytes));
  CHECK(drive.from_bytes({}));
}

TEST_CASE("Motions come back from the text of a scene", "[motion]") {
  const Scene scene = all_kinds();
  const std::string text = to_toml(scene);
  const Scene again = parse_scene(text, "again");
  CHECK(to_toml(again) == text);
  for (const double t : {0.0, 0.7, 2.3})
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const Pose pose = pose_at(scene, t, b);
      check_pose(pose_at(again, t, b), pose.position, pose.rotation);
    }
}

TEST_CASE("Every wrong motion is named with its place", "[motion]") {
  const auto joint = [](const std::string& keys) { return "joint = { type = \"revolute\", " + keys + " }"; };
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"velocity = [1, 0, 0]\nkeyframes = @[{ time = 0, position = [0, 0, 0] }]", "exclude each other"},
      {"spin = [1, 0, 0]\nmotion = @{ position = [\"t\", 0, 0] }", ".spin exclude each other"},
      {"motion = { position = [\"t\", 0, 0] }\njoint = @{ type = \"fixed\" }", "exclude each other"},
      {"keyframes = @[]", "give at least one time"},
      {"keyframes = [@{ time = 1 }]", "gives no motion"},
      {"keyframes = [@{ position = [0, 0, 0] }]", "lacks the key time"},
      {"keyframes = [{ time = 1, position = [0, 0, 0] }, { time = @1, position = [0, 0, 1] }]", "must be later"},
      {"repeat = true\nkeyframes = @[{ time = 0, position = [0, 0, 0] }, { time = 1, position = [0, 0, 1] }]",
       "repeats and would jump from 1 to 0"},
      {"repeat = true\nkeyframes = @[{ time = 0, position = [0, 0, 0], rotation = [0, 0, 0] }, { time = 1, position = "
       "[0, "
       "0, 0] }]",
       "must say rotation"},
      {"repeat = true\nkeyframes = @[{ time = 0, rotation = [0, 0, 0] }, { time = 1, rotation = [0, 0, 350] }]",
       "whole turns"},
      {"interpolation = @\"cubic\"\nkeyframes = [{ time = 0, position = [0, 0, 0] }]", "one of smooth, linear"},
      {"repeat = @true", "allowed beside keyframes"},
      {"motion = @{}", "gives no motion"},
      {"motion = { position = @[\"t\", 0] }", "must be [x, y, z]"},
      {"motion = { position = [@\"sin(\", 0, 0] }", "is not a formula of t"},
      {"motion = { position = [0, @\"2*x\", 0] }", "Unexpected token \"x\""},
      {"motion = { position = [0, @\"1, 2\", 0] }", "several values"},
      {"motion = { position = [0, @\"t = 2\", 0] }", "sets t"},
      {"motion = { rotation = [0, 0, @\"\"] }", "is not a formula of t"},
      {"motion = { rotation = [0, 0, @\"1/(2-t)\"] }", "is inf at 2 s"},
      {"motion = { rotation = [0, 0, @\"sqrt(3-t)\"] }", "nan at 3.01 s"},
      {"motion = { rotation = [0, 0, @true] }", "must be a number"},
      {"parent = @\"bom\"", "is not a body of this scene"},
      {"parent = @\"a\"", "closes a loop of parents, a -> a"},
      {"parent = @\"b\"\n[[body]]\nname = \"b\"\nsphere.radius = 1\nparent = \"a\"",
       "closes a loop of parents, a -> b -> a"},
      {"joint = @{ axis = [0, 0, 1] }", "lacks the key type"},
      {"joint = { type = @\"ball\" }", "one of revolute, prismatic, fixed"},
      {"joint = { type = \"fixed\", value = @3 }", "for a fixed joint"},
      {joint("axis = @[0, 0, 0]"), "must not be [0, 0, 0]"},
      {joint("min = 5, max = @-5"), "max -5 lie below min 5"},
      {joint("max = 45, value = @60"), "value is 60 at 0 s; its limits are -inf and 45 degrees"},
      {joint("max = 45, value = @\"20*t\""), "value is 45.2 at 2.26 s"},
      {joint("min = 0, value = @[[0, 1], [2, -1]]"), "its limits are 0 and inf degrees"},
      {joint("speed = 10, value = @\"20*t\""), "speed is 20 at 0 s; its limit is 10 degrees/s"},
      {joint("acceleration = 10, value = @[[0, 0], [1, 9]], interpolation = \"linear\""), "its limit is 10 degrees/s2"},
      {joint("speed = @0"), "must be a number"},
      {joint("value = [[0, 0], @[1]]"), "must be [time, value]"},
      {joint("value = [[1, 0], [@0.5, 3]]"), "must be later"},
      {joint("value = @[[0, 0], [1, 20]], repeat = true"), "would jump"},
      {joint("value = @[[0, 0]], repeat = true"), "give at least two"},
      {joint("value = 3, repeat = @true"), "allowed beside value = [[time, value], ..]"},
      {joint("value = @\"t +\""), "is not a formula of t"},
  };
  for (const auto& [keys, says] : wrong) {
    const Marked scene("[time]\ndt = 0.01\nend = 4\n" + ball("a", keys));
    INFO(keys << "\n" << scene.error);
    CHECK(scene.error.starts_with(scene.place));
    CHECK(contains(scene.error, says));
  }
}
