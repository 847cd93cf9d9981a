// Dynamic bodies: they move as mechanics says, by themselves, on joints, and with grains and each other.
#include "engine/scene/mass.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

// Nothing but the body, in empty space.
Scene space(double dt, BodySpec body, bool gravity = true) {
  Scene scene = scene_of(dt, 1, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 1;
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  if (!gravity)
    scene.domain.gravity = glm::dvec3(0.0);
  scene.bodies.push_back(std::move(body));
  return scene;
}

BodySpec dynamic_body(std::string name, PartShape shape, double mass) {
  BodySpec body;
  body.name = std::move(name);
  body.parts = {{std::move(shape)}};
  body.mass = mass;
  return body;
}

Momenta of_grains(Simulation& simulation) {
  Momenta all;
  for (const GrainState& grain : simulation.grains()) {
    const double r = grain.radius;
    const double mass = simulation.scene().materials[grain.material].density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    const glm::dvec3 v(grain.velocity);
    all.linear += mass * v;
    all.angular += mass * glm::cross(glm::dvec3(grain.position), v);
    all.energy += mass * glm::dot(v, v) / 2;
  }
  return all;
}

// Period of a pendulum that swings out by `amplitude` [rad], from 2 pi sqrt(I / (m g d)): by the arithmetic-geometric
// mean.
double pendulum_period(double small, double amplitude) {
  double a = 1.0, b = std::cos(amplitude / 2);
  while (a - b > 1e-15)
    std::tie(a, b) = std::pair((a + b) / 2, std::sqrt(a * b));
  return small / a;
}

}  // namespace

TEST_CASE("A free body falls and turns as mechanics says", "[rigid]") {
  SECTION("falling") {
    BodySpec ball = dynamic_body("ball", SpherePart{0.1}, 2.0);
    ball.velocity = {1.0, 0.0, 3.0};
    ball.spin = {0.0, 5.0, 0.0};
    Simulation simulation(space(0.001, ball), on_cpu);
    advance_to(simulation, 1.0);
    const BodyState s = simulation.body_state(0);
    CHECK(s.pose.position.x == Approx(1.0).epsilon(1e-5));
    CHECK(s.pose.position.z == Approx(3.0 - g / 2 * (1.0 + 0.001)).epsilon(1e-5));  // v += h g, x += h v
    CHECK(s.twist.velocity.z == Approx(3.0 - g).epsilon(1e-5));
    CHECK(glm::length(s.twist.spin - glm::dvec3(0.0, 5.0, 0.0)) < 1e-5);
    CHECK(std::abs(std::abs(s.pose.rotation.w) - std::abs(std::cos(2.5))) < 1e-5);
  }
  SECTION("tumbling about its middle axis: momentum and energy stay") {
    BodySpec box = dynamic_body("box", BoxPart{{0.1, 0.2, 0.4}}, 3.0);
    box.spin = {0.01, 8.0, 0.01};  // about the axis of the middle moment: it turns over again and again
    box.parts[0].position = {0.05, 0.1, 0.0};
    Simulation simulation(space(0.001, box, false), on_cpu);
    const Momenta before = of_bodies(simulation);
    double least = 1.0;
    for (int k = 0; k < 200; ++k) {
      simulation.advance(25);
      const glm::dquat q = simulation.body_state(0).pose.rotation;
      const glm::dvec3 spin = glm::conjugate(q) * simulation.body_state(0).twist.spin;
      least = std::min(least, spin.y / 8.0);
    }
    const Momenta after = of_bodies(simulation);
    CHECK(least < -0.9);  // it did turn over
    CHECK(glm::length(after.linear - before.linear) < 1e-4 * glm::length(before.linear) + 1e-6);
    CHECK(glm::length(after.angular - before.angular) < 1e-4 * glm::length(before.angular));
    CHECK(after.energy == Approx(before.energy).epsilon(1e-4));
  }
}

TEST_CASE("A pendulum swings with the exact period", "[rigid]") {
  const double amplitude = GENERATE(0.1, 1.5);
  BodySpec rod = dynamic_body("rod", BoxPart{{0.02, 0.02, 0.5}}, 1.0);
  rod.position = {0.0, 0.0, -0.25};
  rod.motion = Joint{.axis = {0.0, 1.0, 0.0}, .origin = {0.2, 0.0, 1.0}, .value = glm::degrees(amplitude)};
  Simulation simulation(space(0.0005, rod), on_cpu);
  const double inertia = mass_of(rod).inertia[1][1] + 0.25 * 0.25;
  const double period = pendulum_period(2 * std::numbers::pi * std::sqrt(inertia / (1.0 * g * 0.25)), amplitude);
  // Times at which it swings through the middle.
  std::vector<double> crossings;
  double before = simulation.joint_state(0).value;
  double highest = 0.0;
  while (crossings.size() < 9) {
    simulation.advance(1);
    const double now = simulation.joint_state(0).value;
    if ((before > 0.0) != (now > 0.0))
      crossings.push_back(simulation.time() - simulation.scene().dt * now / (now - before));
    if (simulation.time() > 3 * period)
      highest = std::max(highest, std::abs(now));
    before = now;
  }
  CHECK((crossings.back() - crossings.front()) / 4 == Approx(period).epsilon(2e-4));
  CHECK(glm::radians(highest) == Approx(amplitude).epsilon(2e-3));
  // The joint holds.
  const BodyState s = simulation.body_state(0);
  CHECK(glm::length(s.pose.position - s.pose.rotation * glm::dvec3(0.0, 0.0, -0.25) - glm::dvec3(0.2, 0.0, 1.0)) <
        1e-5);
}

TEST_CASE("A spinning top precesses as the exact motion does", "[rigid]") {
  // A disc on a massless stick of length d, on a ball joint, leaning by 20 degrees: symmetric, so that the steady
  // precession w of spin s about the own axis obeys I1 w^2 cos - I3 s w + m g d = 0 with s along the axis.
  const double d = 0.1, lean = glm::radians(20.0), spin = 120.0;
  BodySpec top = dynamic_body("top", ConePart{0.06, 0.06, 0.01}, 0.5);
  top.parts[0].position = {0.0, 0.0, d};
  const MassProperties m = mass_of(top);
  const double own = m.inertia[2][2], across = m.inertia[0][0] + m.mass * d * d;
  const double a = across * std::cos(lean), b = -own * spin, c = m.mass * g * d;
  const double precession = (-b - std::sqrt(b * b - 4 * a * c)) / (2 * a);
  top.motion = Joint{.type = JointType::ball, .rotation = {0.0, 20.0, 0.0}};
  const glm::dvec3 axis{std::sin(lean), 0.0, std::cos(lean)};
  // spin s: along the axis in all, with what the precession adds.
  const glm::dvec3 turning{0.0, 0.0, precession};
  top.spin = turning + (spin - precession * std::cos(lean)) * axis;
  Simulation simulation(space(0.0002, top), on_cpu);
  const double time = 2.0;
  double lowest = 1.0, highest = -1.0;
  for (int k = 0; k < 100; ++k) {
    advance_to(simulation, time * (k + 1) / 100);
    const glm::dvec3 now = simulation.body_state(0).pose.rotation * glm::dvec3(0.0, 0.0, 1.0);
    lowest = std::min(lowest, now.z);
    highest = std::max(highest, now.z);
  }
  const glm::dvec3 now = simulation.body_state(0).pose.rotation * glm::dvec3(0.0, 0.0, 1.0);
  const double angle = std::remainder(precession * time - std::atan2(now.y, now.x), 2 * std::numbers::pi);
  CHECK(std::abs(angle) < 2e-3 * precession * time);
  CHECK(std::acos(lowest) == Approx(lean).margin(2e-3));
  CHECK(std::acos(highest) == Approx(lean).margin(2e-3));
}

TEST_CASE("A fast top in long substeps leans and precesses as the converged motion does", "[rigid]") {
  // 0.8 rad in a substep. Let go without precession, it nods by 4 degrees. From RK4 of the exact equations in steps of
  // 50 us.
  BodySpec top = dynamic_body("top", ConePart{0.1, 0.1, 0.02}, 1.0);
  const double lean = glm::radians(20.0);
  const glm::dvec3 axis{std::sin(lean), 0.0, std::cos(lean)};
  top.position = {0.0, 0.0, 0.2};
  top.motion = Joint{.type = JointType::ball, .rotation = {0.0, 20.0, 0.0}};
  top.spin = 200.0 * axis;
  Simulation simulation(space(0.004, top), on_cpu);
  double least = 90.0, most = 0.0;
  for (int k = 0; k < 2500; ++k) {
    simulation.advance(1);
    const double tilt = glm::degrees(std::acos((simulation.body_state(0).pose.rotation * glm::dvec3(0, 0, 1)).z));
    least = std::min(least, tilt);
    most = std::max(most, tilt);
  }
  CHECK(least == Approx(20.0).margin(0.02));
  CHECK(most == Approx(24.295).margin(0.02));
  const glm::dvec3 now = simulation.body_state(0).pose.rotation * glm::dvec3(0.0, 0.0, 1.0);
  CHECK(glm::distance(now, {-0.27871, 0.22671, 0.93323}) < 3e-3);
  CHECK(glm::length(simulation.body_state(0).twist.spin) == Approx(200.0).epsilon(1e-4));
}

TEST_CASE("A body of three moments that turns half a radian in a substep keeps its momentum and energy", "[rigid]") {
  BodySpec box = dynamic_body("box", BoxPart{{0.1, 0.2, 0.4}}, 3.0);
  box.spin = glm::dvec3(GENERATE(0.0, 40.0), 100.0, 20.0);  // near the middle axis, and far from all
  Simulation simulation(space(0.005, box, false), on_cpu);
  const Momenta before = of_bodies(simulation);
  double low = 1.0, high = 1.0;
  for (int k = 0; k < 400; ++k) {
    simulation.advance(5);
    const Momenta now = of_bodies(simulation);
    low = std::min(low, now.energy / before.energy);
    high = std::max(high, now.energy / before.energy);
    REQUIRE(glm::length(now.angular - before.angular) < 2e-4 * glm::length(before.angular));
  }
  CAPTURE(low, high);
  CHECK(low > 0.97);
  CHECK(high < 1.03);
}

TEST_CASE("Principal axes are those of the inertia", "[rigid]") {
  const glm::dmat3 turn = glm::mat3_cast(glm::normalize(glm::dquat(0.3, -0.5, 0.2, 0.7)));
  for (const glm::dvec3& moments : {glm::dvec3(3.0, 1.0, 2.0), glm::dvec3(2.0, 5.0, 2.0), glm::dvec3(1.0)}) {
    const glm::dmat3 own(moments.x, 0, 0, 0, moments.y, 0, 0, 0, moments.z);
    const PrincipalAxes found = principal_axes(turn * own * glm::transpose(turn));
    glm::dmat3 again(0.0);
    for (int k = 0; k < 3; ++k)
      again += found.moments[k] * glm::outerProduct(found.axes[k], found.axes[k]);
    for (int k = 0; k < 3; ++k)
      CHECK(glm::distance(again[k], (turn * own * glm::transpose(turn))[k]) < 1e-14);
    CHECK(found.moments[0] <= found.moments[1]);
    CHECK(found.moments[1] <= found.moments[2]);
  }
}

TEST_CASE("A wheel speeds up by its torque, and its joint brakes, drives and stops it", "[rigid]") {
  BodySpec wheel = dynamic_body("wheel", ConePart{0.2, 0.2, 0.05}, 4.0);
  const double inertia = 4.0 * 0.2 * 0.2 / 2;
  const auto joint = [](double friction, std::optional<Motor> motor = {}) {
    return Joint{.axis = {0.0, 0.0, 1.0}, .friction = friction, .motor = motor};
  };
  const auto speed_after = [&](const Joint& j, double torque, double time) {
    wheel.motion = j;
    Simulation simulation(space(0.001, wheel), on_cpu);
    simulation.push_body(0, {.torque = {1.0, -2.0, torque}});  // across the axis the joint takes it
    advance_to(simulation, time);
    return glm::radians(simulation.joint_state(0).speed);
  };
  CHECK(speed_after(joint(0.0), 0.4, 1.0) == Approx(0.4 / inertia).epsilon(1e-4));
  CHECK(speed_after(joint(0.1), 0.4, 1.0) == Approx(0.3 / inertia).epsilon(1e-5));
  CHECK(speed_after(joint(0.5), 0.4, 1.0) == 0.0);
  CHECK(speed_after(joint(0.0, Motor{360.0, 0.4}), 0.0, 0.5) == Approx(0.2 / inertia).epsilon(1e-5));
  CHECK(speed_after(joint(0.1, Motor{360.0, 0.4}), 0.0, 0.5) == Approx(0.15 / inertia).epsilon(1e-5));
  CHECK(speed_after(joint(0.1, Motor{90.0, 0.4}), 0.0, 2.0) == Approx(glm::radians(90.0)).epsilon(1e-5));
  CHECK(speed_after(joint(0.1, Motor{-90.0, 0.4}), 0.0, 2.0) == Approx(glm::radians(-90.0)).epsilon(1e-5));
  CHECK(speed_after(joint(0.1, Motor{90.0, 0.4}), 0.8, 1.0) ==
        Approx(glm::radians(90.0) + 0.3 / inertia * (1.0 - glm::radians(90.0) * inertia / 1.1)).epsilon(1e-3));
  SECTION("limits") {
    Joint limited = joint(0.0);
    limited.max = 30.0;
    wheel.motion = limited;
    Simulation simulation(space(0.001, wheel), on_cpu);
    simulation.push_body(0, {.torque = {0.0, 0.0, 0.4}});
    advance_to(simulation, 2.0);
    CHECK(simulation.joint_state(0).value == Approx(30.0).epsilon(1e-6));
    CHECK(simulation.joint_state(0).speed == Approx(0.0).margin(1e-3));
  }
  SECTION("a ball joint leans no further than it may") {
    BodySpec rod = dynamic_body("rod", BoxPart{{0.02, 0.02, 0.5}}, 1.0);
    rod.parts[0].position = {0.0, 0.0, 0.25};
    rod.motion = Joint{.type = JointType::ball, .rotation = {0.0, 5.0, 0.0}, .max = 40.0};
    Simulation simulation(space(0.001, rod), on_cpu);
    advance_to(simulation, 3.0);
    const glm::dvec3 axis = simulation.body_state(0).pose.rotation * glm::dvec3(0.0, 0.0, 1.0);
    CHECK(glm::degrees(std::acos(axis.z)) == Approx(45.0).margin(0.2));
    CHECK(glm::length(simulation.body_state(0).twist.spin) < 1e-2);
  }
}

TEST_CASE("Bodies and grains exchange momentum without loss", "[rigid]") {
  const Variant variant = each_variant();
  if (variant.solver.detection != Detection::lists)
    return;
  // Apart, grains touch the body alone: the plain mean over a grain's contacts, by which p2 and pbd lose momentum among
  // grains, is then that of one.
  const bool apart = GENERATE(true, false);
  const bool means = variant.solver.iteration == Iteration::jacobi && variant.solver.averaging == Averaging::plain &&
                     (variant.solver.method == Method::p2 || variant.solver.method == Method::pbd);
  // What grains cannot take over without turning themselves: the moment of friction at their surface.
  const double friction = GENERATE(0.0, 0.5);
  CAPTURE(variant.name, apart, friction);
  // A block flies into a cloud of grains that itself flies, far from any wall.
  Scene scene = scene_of(0.002, 4, 4);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = glm::dvec3(0.0);
  scene.domain.friction_static = scene.domain.friction_kinetic = friction;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = friction;
  scene.bodies.push_back(dynamic_body("block", BoxPart{{0.1, 0.08, 0.06}}, 0.5));
  scene.bodies[0].position = {-0.1, 0.0, 0.0};
  scene.bodies[0].velocity = {1.5, 0.0, 0.0};
  scene.bodies[0].spin = {3.0, -2.0, 5.0};
  const double spacing = apart ? 0.035 : 0.022;
  std::vector<glm::dvec3> places;
  for (int x = 0; x < (apart ? 1 : 5); ++x)
    for (int y = 0; y < 6; ++y)
      for (int z = 0; z < 6; ++z)
        places.push_back({spacing * x, spacing * y, spacing * (z - 3)});  // one side of it is hit
  add_points(scene, 0.01, places, {-0.5, 0.0, 0.0});
  Simulation simulation(with(scene, variant.solver), on_cpu);
  const Momenta body = of_bodies(simulation), grains = of_grains(simulation);
  advance_to(simulation, 0.2);
  const Momenta body_after = of_bodies(simulation), grains_after = of_grains(simulation);
  const double exchanged = glm::length(body_after.linear - body.linear);
  const double turned = glm::length(body_after.angular - body.angular);
  CHECK(exchanged > 0.03 * glm::length(body.linear));
  CHECK(body_after.energy + grains_after.energy < 1.001 * (body.energy + grains.energy));
  if (means && !apart)
    return;
  CHECK(glm::length(body_after.linear + grains_after.linear - body.linear - grains.linear) < 1e-4 * exchanged);
  // Iterations that move grains turn the contacts among them on the way.
  const bool moves = variant.solver.method != Method::vts && variant.solver.method != Method::dem;
  if (friction == 0.0 && (apart || !moves))
    CHECK(glm::length(body_after.angular + grains_after.angular - body.angular - grains.angular) < 1e-4 * turned);
}

namespace {

// Grains in a box that is periodic along x, with bodies of every joint among them that touch each other and the walls.
Scene crowd() {
  Scene scene = scene_of(0.004, 3, 3);
  scene.domain.axis = {Axis::periodic, Axis::wall, Axis::wall};
  scene.domain.min = {-0.3, -0.2, 0.0};
  scene.domain.max = {0.3, 0.2, 0.6};
  scene.bodies.push_back(body_of("ground", {{BoxPart{{0.2, 0.4, 0.1}}}}));
  BodySpec block = dynamic_body("block", BoxPart{{0.1, 0.08, 0.06}}, 0.4);
  block.position = {0.25, 0.14, 0.12};
  block.rotation = {20.0, 10.0, 0.0};
  block.velocity = {0.3, 0.4, -0.5};
  block.spin = {1.0, 2.0, 8.0};
  BodySpec dumbbell = dynamic_body("dumbbell", SpherePart{0.03}, 0.2);
  dumbbell.parts.push_back({SpherePart{0.04}, {0.1, 0.0, 0.0}});
  dumbbell.position = {0.2, 0.1, 0.28};
  BodySpec wheel = dynamic_body("wheel", BoxPart{{0.02, 0.1, 0.2}}, 0.3);
  wheel.motion =
      Joint{.axis = {0.0, 1.0, 0.0}, .origin = {-0.1, 0.0, 0.3}, .friction = 0.001, .motor = Motor{200.0, 0.1}};
  BodySpec slider = dynamic_body("slider", ConePart{0.04, 0.02, 0.08}, 0.3);
  slider.motion = Joint{
      .type = JointType::prismatic, .axis = {1.0, 0.0, -1.0}, .origin = {-0.2, -0.1, 0.3}, .min = -0.05, .max = 0.05};
  BodySpec pestle = dynamic_body("pestle", CapsulePart{0.02, 0.2}, 0.2);
  pestle.parts[0].position = {0.0, 0.0, -0.1};
  pestle.motion = Joint{.type = JointType::ball, .origin = {0.1, -0.1, 0.4}, .max = 30.0, .friction = 1e-4};
  pestle.spin = {2.0, 0.0, 4.0};
  for (BodySpec* body : {&block, &dumbbell, &wheel, &slider, &pestle})
    scene.bodies.push_back(*body);
  std::vector<glm::dvec3> places;
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 9; ++y)
      for (int z = 0; z < 7; ++z)
        places.push_back({0.045 * x - 0.25, 0.04 * y - 0.16, 0.045 * z + 0.13});
  std::erase_if(places, [&](const glm::dvec3& p) {
    return std::ranges::any_of(scene.bodies, [&](const BodySpec& body) {
      const auto* joint = std::get_if<Joint>(&body.motion);
      return glm::distance(p, joint ? joint->origin : body.position) < 0.165 && body.name != "ground";
    });
  });
  add_points(scene, 0.015, places, {0.4, 0.3, -2.0});
  return scene;
}

}  // namespace

TEST_CASE("Passes of dynamic bodies agree with their references", "[device][rigid][lockstep]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Simulation simulation(with(crowd(), variant.solver), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(12));
  double moved = 0.0;
  for (const BodyLoad& load : simulation.body_loads())
    moved += glm::length(load.force);
  CHECK(moved > 1.0);
}

TEST_CASE("A run with dynamic bodies repeats bit for bit, and goes on so when it is resumed", "[rigid]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const Scene scene = with(crowd(), variant.solver);
  const auto run = [&](int threads, std::uint64_t first, std::uint64_t second) {
    Options options = on_cpu;
    options.threads = threads;
    Scratch scratch;
    Simulation simulation(scene, options);
    simulation.push_body(1, {.force = {0.0, 0.0, 1.0}});
    simulation.advance(first);
    simulation.save(scratch / "state.talus");
    Simulation other(scene, options);
    other.resume(scratch / "state.talus");
    other.advance(second);
    return other.state_hash();
  };
  const std::uint64_t hash = run(1, 40, 0);
  CHECK(run(2, 40, 0) == hash);
  CHECK(run(2, 15, 25) == hash);
}

TEST_CASE("A body that has become invalid lies again where it lay, and its contacts have forgotten the rest",
          "[rigid]") {
  BodySpec box = dynamic_body("box", BoxPart{{0.2, 0.2, 0.04}}, 1.0);
  box.position = {0.0, 0.0, 0.02};
  Scene scene = space(0.001, box);
  scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.5);
  const glm::dvec3 place = simulation.body_state(0).pose.position;
  simulation.push_body(0, {.force = {1e22, 0.0, 0.0}});  // slides for some steps before its speed has no square
  REQUIRE_THROWS_WITH(simulation.advance(20), Catch::Contains("body box ") && Catch::Contains("in step 50"));
  const std::size_t contacts = simulation.executor().size(FieldId::point_contacts);
  for (const PointContact& contact :
       read_field<PointContact>(simulation.executor(), FieldId::point_contacts, contacts)) {
    REQUIRE(contact.partner == no_partner);
    REQUIRE(contact.shear == vec3(0.0f));
  }
  simulation.push_body(0, {});
  advance_to(simulation, 1.0);
  CHECK(glm::distance(simulation.body_state(0).pose.position, place) < 1e-6);
}

TEST_CASE("Bodies rest on the floor, on each other and on grains", "[rigid]") {
  SECTION("a stack of boxes on the floor") {
    Scene scene = scene_of(0.004, 10, 1);
    scene.solver = default_solver(Method::dem);
    scene.solver.substeps = 10;
    scene.domain.min = {-0.5, -0.5, 0.0};
    for (int k = 0; k < 4; ++k) {
      BodySpec box = dynamic_body(fmt::format("box{}", k), BoxPart{{0.1, 0.12, 0.08}}, 0.5);
      box.position = {0.002 * k, 0.0, 0.0401 + 0.0805 * k};
      scene.bodies.push_back(box);
    }
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 2.0);
    std::vector<glm::dvec3> places;
    for (std::uint32_t b = 0; b < 4; ++b)
      places.push_back(simulation.body_state(b).pose.position);
    CHECK(places[3].z == Approx(0.04 + 3 * 0.08).margin(1e-3));
    // What a box carries, it passes on: the floor's push less what lies on it is its weight.
    for (std::uint32_t b = 0; b < 4; ++b)
      CHECK(simulation.body_loads()[b].force_filtered.z == Approx(0.5 * g).epsilon(5e-3));
    advance_to(simulation, 4.0);
    for (std::uint32_t b = 0; b < 4; ++b) {
      CHECK(glm::distance(simulation.body_state(b).pose.position, places[b]) < 1e-4);
      CHECK(glm::length(simulation.body_state(b).twist.velocity) < 1e-3);
    }
  }
  SECTION("a ball rolls as it should") {
    // Down a slope of 20 degrees without slipping: a = 5/7 g sin.
    BodySpec ball = dynamic_body("ball", SpherePart{0.05}, 1.0);
    ball.position = {0.0, 0.0, 0.05};
    Scene scene = space(0.001, ball);
    scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
    scene.domain.friction_static = scene.domain.friction_kinetic = 0.5;
    const double slope = glm::radians(20.0);
    scene.domain.gravity = {g * std::sin(slope), 0.0, -g * std::cos(slope)};
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 1.0);
    const BodyState s = simulation.body_state(0);
    CHECK(s.twist.velocity.x == Approx(5.0 / 7.0 * g * std::sin(slope)).epsilon(5e-3));
    CHECK(s.twist.spin.y == Approx(s.twist.velocity.x / 0.05).epsilon(2e-2));
  }
  SECTION("a box slides by Coulomb's law") {
    BodySpec box = dynamic_body("box", BoxPart{{0.2, 0.2, 0.04}}, 1.0);
    box.position = {0.0, 0.0, 0.02};
    Scene scene = space(0.001, box);
    scene.solver.substeps = 4;
    scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
    scene.domain.friction_static = scene.domain.friction_kinetic = 0.3;
    const double degrees = GENERATE(10.0, 25.0);
    const double slope = glm::radians(degrees);
    scene.domain.gravity = {g * std::sin(slope), 0.0, -g * std::cos(slope)};
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 0.5);
    const double before = simulation.body_state(0).twist.velocity.x;
    advance_to(simulation, 1.0);
    const double gained = 2.0 * (simulation.body_state(0).twist.velocity.x - before);
    CHECK(gained == Approx(std::max(0.0, sliding(degrees, 0.3))).epsilon(1e-2).margin(1e-3));
  }
  SECTION("a box on grains, by every method") {
    const Variant variant = each_method();
    CAPTURE(variant.name);
    Scene scene = with(scene_of(0.004, 5, 5), variant.solver);
    add_bed(scene, 0.15, 0.5, 0.0125, 0.08);
    BodySpec box = dynamic_body("box", BoxPart{{0.12, 0.1, 0.05}}, 0.6);
    box.position = {0.0, 0.0, 0.12};
    scene.bodies.push_back(box);
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 2.0);
    const glm::dvec3 place = simulation.body_state(0).pose.position;
    const double force = simulation.body_loads()[0].force_filtered.z;
    advance_to(simulation, 2.5);
    // pbd has no memory of contacts: its heaps creep.
    const bool creeps = variant.solver.method == Method::pbd;
    CHECK(glm::distance(simulation.body_state(0).pose.position, place) < (creeps ? 5e-3 : 2e-4));
    CHECK(force == Approx(0.6 * g).epsilon(2e-2));
  }
  SECTION("a box on fixed grains, by every method") {
    const Variant variant = each_method();
    CAPTURE(variant.name);
    Scene scene = with(scene_of(0.004, 5, 5), variant.solver);
    std::vector<glm::dvec3> places;
    for (int x = -2; x <= 2; ++x)
      for (int y = -2; y <= 2; ++y)
        places.push_back({0.03 * x, 0.03 * y, 0.5});
    add_points(scene, 0.0125, places);
    scene.grains.back().fixed = true;
    BodySpec box = dynamic_body("box", BoxPart{{0.1, 0.1, 0.05}}, 0.6);
    box.position = {0.0, 0.0, 0.5 + 0.0125 + 0.025 + 0.002};
    scene.bodies.push_back(box);
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 1.0);
    CHECK(simulation.body_state(0).pose.position.z == Approx(0.5 + 0.0125 + 0.025).margin(1e-3));
    CHECK(simulation.body_loads()[0].force_filtered.z == Approx(0.6 * g).epsilon(2e-2));
  }
}

TEST_CASE("Bodies that ignore each other pass through", "[rigid]") {
  const std::string text = R"([scene]
title = "axle"
[[material]]
name = "sand"
[[body]]
name = "axle"
cylinder = { radius = 0.1, height = 0.5 }
[[body]]
name = "ring"
torus = { radius = 0.2, tube_radius = 0.15 }
mass = 1
position = [0, 0, 0.5]
IGNORES
[[body]]
name = "floor"
box = { size = [2, 2, 0.1] }
position = [0, 0, -0.5]
)";
  const auto with_ignores = [&](const std::string& line) {
    std::string all = text;
    all.replace(all.find("IGNORES"), 7, line);
    return parse_scene(all, "axle.toml");
  };
  const auto height_after = [&](const std::string& line) {
    Scene scene = with_ignores(line);
    scene.domain.axis = {Axis::open, Axis::open, Axis::open};
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 1.5);
    return simulation.body_state(1).pose.position.z;
  };
  CHECK(height_after("") > 0.2);  // the hole is narrower than the axle
  CHECK(height_after("ignores = [\"axle\"]") == Approx(-0.45 + 0.15).margin(2e-3));
  CHECK(height_after("ignores = [\"axle\", \"floor\"]") < -1.0);
  CHECK_THROWS_WITH(with_ignores("ignores = [\"rod\"]"),
                    Catch::Contains("axle.toml:") && Catch::Contains("\"rod\" is not another body of the scene"));
  CHECK(parse_scene(to_toml(with_ignores("ignores = [\"axle\"]")), "again").bodies[1].ignores ==
        std::vector<std::string>{"axle"});
}

TEST_CASE("Energy never grows by itself", "[rigid]") {
  // Boxes thrown into a closed box without friction or gravity to take energy: what bounces may only lose.
  Scene scene = crowd();
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 10;
  scene.domain.gravity = glm::dvec3(0.0);
  for (BodySpec& body : scene.bodies)
    if (auto* joint = std::get_if<Joint>(&body.motion))
      joint->motor.reset();
  Simulation simulation(scene, on_cpu);
  double energy = 1e30;
  for (int k = 0; k < 30; ++k) {
    const double now = of_bodies(simulation).energy + of_grains(simulation).energy;
    CHECK(now < 1.001 * energy);
    energy = std::min(now, energy);
    simulation.advance(10);
  }
}

TEST_CASE("Heavy bodies on light grains and light ones on heavy grains stay at rest or sink, and are not thrown",
          "[rigid]") {
  const Variant variant = each_method();
  const double ratio = GENERATE(1e-3, 1.0, 1e3);  // to the mass of a grain
  CAPTURE(variant.name, ratio);
  Scene scene = with(scene_of(0.004, 5, 5), variant.solver);
  add_bed(scene, 0.1, 0.4, 0.01, 0.12);
  const double grain = 1600.0 * 4.0 / 3.0 * std::numbers::pi * 1e-6, mass = ratio * grain;
  BodySpec ball = dynamic_body("ball", SpherePart{0.03}, mass);
  ball.position = {0.0, 0.0, 0.06};  // within the bed
  scene.bodies.push_back(ball);
  Simulation simulation(scene, on_cpu);
  double fastest = 0.0, energy = 0.0;
  for (int k = 0; k < 50; ++k) {
    simulation.advance(5);
    fastest = std::max(fastest, simulation.measure().speed_max);
    const double v = glm::length(simulation.body_state(0).twist.velocity);
    energy = std::max(energy, mass * v * v / 2);
  }
  // None has more energy than what falls from the top; a light ball is squeezed out as a cherry stone is.
  CHECK(fastest < std::sqrt(2.0 * g * 0.15));
  CHECK(energy < std::max(mass, grain) * g * 0.15);
}

TEST_CASE("Substeps by themselves bear a plate of a thousand times the mass of the grains below", "[rigid]") {
  // Nine grains of r 5 cm and 0.785 kg. With one substep, the plate went through them.
  const Method method = GENERATE(Method::dem, Method::vts, Method::sp, Method::pbd);
  Scene scene = scene_of(0.004, 0, 1);
  scene.solver = default_solver(method);
  scene.materials[0].density = 1500.0;
  scene.domain.max = {1.0, 1.0, 3.0};
  std::vector<glm::dvec3> places;
  for (int k = 0; k < 9; ++k)
    places.push_back({0.1 * (k % 3) - 0.1, 0.1 * (k / 3) - 0.1, 0.05});
  add_points(scene, 0.05, places);
  scene.bodies.push_back(dynamic_body("plate", BoxPart{{0.4, 0.4, 0.1}}, 7065.0));
  scene.bodies[0].position = {0.0, 0.0, 0.15};
  const SubstepChoice choice = choose_substeps(scene);
  CHECK(choice.why.find("body plate, which weighs as much on them as 1e+03 layers") != std::string::npos);
  Simulation simulation(scene, on_cpu);
  double lowest = 1.0;
  for (int k = 0; k < 100; ++k) {
    simulation.advance(1);
    lowest = std::min(lowest, simulation.body_state(0).pose.position.z);
  }
  CAPTURE(choice.substeps, lowest);
  CHECK(lowest > 0.15 - 2 * 0.04 * 0.05);  // swings to twice the overlap at rest, above and below each grain
  scene.solver.substeps = 1;
  const std::vector<std::string> advice = advise(scene);
  CHECK(std::ranges::any_of(advice, [](const std::string& a) { return a.find("body plate") != std::string::npos; }));
}

TEST_CASE("Substeps by themselves know how fast a body spins, and what its joint bears", "[rigid]") {
  Scene scene = scene_of(0.004, 0, 1);
  scene.solver = default_solver(Method::dem);
  add_points(scene, 0.05, {{0.5, 0.5, 0.05}});
  scene.bodies.push_back(dynamic_body("top", ConePart{0.1, 0.1, 0.02}, 1.0));
  scene.bodies[0].position = {0.0, 0.0, 0.2};
  scene.bodies[0].spin = {0.0, 0.0, 200.0};
  scene.bodies[0].motion = Joint{.type = JointType::ball, .origin = {0.0, 0.0, 1.0}};
  CHECK(choose_substeps(scene).why.find("body top turns by 0.2 rad") != std::string::npos);
  CHECK(choose_substeps(scene).substeps == 4);  // its rim, 20 m/s, by half a radius
  scene.grains.clear();
  CHECK(choose_substeps(scene).substeps == 2);  // 0.4 rad
  // A wheel about its own centre lays nothing on grains, a block all of its weight.
  Scene heavy = scene_of(0.004, 0, 1);
  heavy.solver = default_solver(Method::dem);
  add_points(heavy, 0.05, {{0.5, 0.5, 0.05}});
  heavy.bodies.push_back(dynamic_body("wheel", ConePart{0.1, 0.1, 0.02}, 100.0));
  heavy.bodies[0].motion = Joint{.axis = {0.0, 1.0, 0.0}, .origin = {0.0, 0.0, 0.5}};
  CHECK(choose_substeps(heavy).substeps == 1);
  heavy.bodies[0].motion = {};
  heavy.bodies[0].position = {0.0, 0.0, 0.5};
  CHECK(choose_substeps(heavy).substeps > 5);
}
