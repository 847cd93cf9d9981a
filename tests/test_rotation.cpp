// Grains that rotate: exact cases, and what is conserved.
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double ball_friction = 0.3, ball_radius = 0.05;

Scene rotating_scene(int substeps = 8, const Solver& solver = default_solver(Method::dem)) {
  Scene scene = with(scene_of(1.0 / 200, substeps, 4), solver);
  scene.solver.rotation = true;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = ball_friction;
  return scene;
}

struct Spinning {
  uint id;
  glm::dvec3 position, velocity, spin;  // m, m/s, sigma = r omega [m/s]
  double radius, mass, inertia;         // m, kg, kg m2
};
std::vector<Spinning> spinning(Simulation& simulation) {
  const std::uint32_t places = simulation.grain_places();
  const auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, places);
  const auto ids = read_field<uint>(simulation.executor(), FieldId::grain_id, places);
  const auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, places);
  std::vector<Spinning> out;
  for (std::uint32_t i = 0; i < places; ++i) {
    const double radius = grains[i].position.w, mass = 1.0 / static_cast<double>(grains[i].velocity.w);
    out.push_back({ids[i], vec3(grains[i].position), vec3(grains[i].velocity), vec3(spins[i]), radius, mass,
                   mass * radius * radius / static_cast<double>(spins[i].w)});
  }
  std::ranges::sort(out, {}, &Spinning::id);
  return out;
}

void set_spin(Simulation& simulation, glm::dvec3 sigma) {
  auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, simulation.grain_places());
  for (vec4& spin : spins)
    spin = vec4(vec3(sigma), spin.w);
  write_field(simulation.executor(), FieldId::grain_spin, spins);
}

// A ball that sets off along a plane tilted by so much.
Scene rolling_ball(double degrees, double speed, double rolling = 0.0, int substeps = 8,
                   const Solver& solver = default_solver(Method::dem)) {
  Scene scene = on_incline(rotating_scene(substeps, solver), degrees, ball_friction, ball_friction, speed);
  scene.domain.rolling_friction = rolling;
  return scene;
}

double acceleration(const Scene& scene) {
  return in_second_second(scene).acceleration;
}

// Grains of mixed radii and two materials that meet in free space, none within `hole` [m] of its middle.
Scene cloud(double hole = 0.0, const Solver& solver = default_solver(Method::dem)) {
  Scene scene = rotating_scene(8, solver);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials.push_back({.name = "hollow", .friction_static = 0.9, .friction_kinetic = 0.6, .inertia = 2.0 / 3.0});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  for (int k = 0; k < 120; ++k) {
    const glm::dvec3 at(0.06 * between(random), 0.06 * between(random), 0.06 * between(random));
    if (glm::length(at) > hole)
      add_points(scene, 0.006 + 0.003 * between(random), {at}, -4.0 * at);
  }
  for (std::size_t k = 0; k < scene.grains.size(); ++k)
    scene.grains[k].material = k % 2;
  return scene;
}

struct MomentaWithSpins : Momenta {
  double linear_size = 0.0, angular_size = 0.0;  // sums of the magnitudes of the grains' momenta
};
MomentaWithSpins momenta_with_spins(const std::vector<Spinning>& grains) {
  MomentaWithSpins sum;
  for (const Spinning& grain : grains) {
    const glm::dvec3 own =
        grain.mass * glm::cross(grain.position, grain.velocity) + grain.inertia / grain.radius * grain.spin;
    sum.linear += grain.mass * grain.velocity;
    sum.angular += own;
    sum.linear_size += grain.mass * glm::length(grain.velocity);
    sum.angular_size += glm::length(own);
  }
  return sum;
}

// Every way to find impulses in which grains rotate.
const std::vector<std::pair<Method, Iteration>> by_impulses = {
    {Method::vts, Iteration::improved_jacobi}, {Method::vts, Iteration::jacobi},
    {Method::vts, Iteration::mass_splitting},  {Method::vts, Iteration::pja},
    {Method::sp, Iteration::improved_jacobi},  {Method::sp, Iteration::jacobi},
    {Method::sp, Iteration::mass_splitting}};
Solver each_by_impulses() {
  const auto [method, iteration] = GENERATE(from_range(by_impulses));
  return default_solver(method, iteration);
}
// The same, and dem.
Solver each_rotating() {
  return GENERATE(true, false) ? default_solver(Method::dem) : each_by_impulses();
}

// Momenta of a cloud before and after .15 s in which its grains meet, with a solver and a rolling friction.
struct Kept {
  MomentaWithSpins before, after;
};
Kept momenta_of_cloud(const Solver& solver, double rolling, int substeps = 8) {
  Scene scene = cloud(0.0, solver);
  scene.solver.substeps = substeps;
  scene.materials[0].rolling_friction = scene.materials[1].rolling_friction = rolling;
  const glm::dvec3 spin(1.0, -0.5, 2.0);
  Simulation simulation(scene, on_cpu);
  set_spin(simulation, spin);
  const MomentaWithSpins before = momenta_with_spins(spinning(simulation));
  simulation.advance(30);
  const std::vector<Spinning> grains = spinning(simulation);
  CHECK(std::ranges::count_if(grains, [&](const Spinning& s) { return glm::length(s.spin - spin) > 0.1; }) > 60);
  return {before, momenta_with_spins(grains)};
}

}  // namespace

TEST_CASE("A ball that slides comes to roll at 5/7 of its speed", "[rotation]") {
  Simulation simulation(rolling_ball(0.0, 1.0), on_cpu);
  const double time = 2.0 / (7.0 * ball_friction * g);
  simulation.advance(static_cast<std::uint64_t>(0.9 * time / simulation.scene().dt));
  const Spinning slides = spinning(simulation)[0];
  CHECK(slides.velocity.x - slides.spin.y > 0.05);
  simulation.advance(static_cast<std::uint64_t>(0.2 * time / simulation.scene().dt));
  const Spinning rolls = spinning(simulation)[0];
  CHECK(rolls.velocity.x == Approx(5.0 / 7.0).epsilon(1e-3));  // the spring has yet to come to rest
  CHECK(rolls.spin.y == Approx(5.0 / 7.0).epsilon(1e-3));
  simulation.advance(200);
  CHECK(spinning(simulation)[0].velocity.x == Approx(5.0 / 7.0).epsilon(1e-5));
  CHECK(spinning(simulation)[0].spin.y == Approx(5.0 / 7.0).epsilon(1e-5));
}

TEST_CASE("A ball on an incline rolls where friction bears it, and slides beyond", "[rotation]") {
  for (const double degrees : {5.0, 20.0, 40.0, 50.0, 60.0}) {  // tan a = 7/2 ball_friction at 46.4
    CAPTURE(degrees);
    const double a = glm::radians(degrees);
    const double exact = std::tan(a) < 3.5 * ball_friction ? 5.0 / 7.0 * g * std::sin(a)
                                                           : g * (std::sin(a) - ball_friction * std::cos(a));
    CHECK(acceleration(rolling_ball(degrees, 0.0)) == Approx(exact).epsilon(1e-3));
  }
}

TEST_CASE("Rolling friction slows a ball, and holds it on a slope", "[rotation]") {
  Simulation simulation(rolling_ball(0.0, 1.0, 0.1), on_cpu);
  simulation.advance(100);
  const double before = simulation.grains()[0].velocity.x;
  simulation.advance(40);
  CHECK(before - static_cast<double>(simulation.grains()[0].velocity.x) ==
        Approx(5.0 / 7.0 * 0.1 * g * 0.2).epsilon(1e-3));
  simulation.advance(400);
  CHECK(std::abs(simulation.grains()[0].velocity.x) < 1e-6f);
  for (const double degrees : {5.0, 11.2}) {  // atan 0.2 = 11.31
    CAPTURE(degrees);
    CHECK(std::abs(acceleration(rolling_ball(degrees, 0.0, 0.2))) < 1e-5);
  }
  const double a = glm::radians(12.0);
  CHECK(acceleration(rolling_ball(12.0, 0.0, 0.2)) ==
        Approx(5.0 / 7.0 * g * (std::sin(a) - 0.2 * std::cos(a))).epsilon(5e-3));
}

TEST_CASE("A top keeps its spin, and twisting friction slows it", "[rotation]") {
  for (const double twisting : {0.0, 0.1}) {
    CAPTURE(twisting);
    Simulation simulation(rolling_ball(0.0, 0.0, twisting), on_cpu);
    simulation.advance(100);
    set_spin(simulation, {0.0, 0.0, 1.0});
    simulation.advance(40);
    CHECK(spinning(simulation)[0].spin.z == Approx(1.0 - 2.5 * twisting * g * 0.2).epsilon(2e-3));
  }
}

// Chung and Ooi 2011, tests 4 and 5, with the wall: sliding takes 7/2 ball_friction (1 + e) v_n of the surface's speed.
TEST_CASE("An oblique impact turns a ball by what friction bears", "[rotation]") {
  Scene scene = rolling_ball(0.0, 0.0, 0.0, 32);
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.grains.clear();
  add_points(scene, ball_radius, {{0.0, 0.0, 1.05 * ball_radius}}, {4.0, 0.0, -1.0});
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  const Spinning after = spinning(simulation)[0];
  CHECK(after.velocity.z > 0.5);
  CHECK(after.velocity.x == Approx(4.0 - ball_friction * (1.0 + after.velocity.z)).epsilon(1e-4));
  CHECK(after.spin.y == Approx(2.5 * ball_friction * (1.0 + after.velocity.z)).epsilon(1e-4));
}

TEST_CASE("A free cloud of grains that rub each other keeps its angular momentum", "[rotation]") {
  Scene scene = cloud();
  scene.materials[1].rolling_friction = GENERATE(0.0, 0.3);
  scene.materials[0].rolling_friction = scene.materials[1].rolling_friction;
  Simulation simulation(scene, on_cpu);
  set_spin(simulation, {1.0, -0.5, 2.0});
  const MomentaWithSpins before = momenta_with_spins(spinning(simulation));
  simulation.advance(30);  // they part after 25; then the rounding of positions adds 1e-8 a step
  const std::vector<Spinning> grains = spinning(simulation);
  const MomentaWithSpins after = momenta_with_spins(grains);
  const auto turned = std::ranges::count_if(
      grains, [](const Spinning& s) { return glm::length(s.spin - glm::dvec3(1.0, -0.5, 2.0)) > 0.1; });
  CHECK(turned > 60);
  CHECK(glm::length(after.angular - before.angular) < 1e-6 * before.angular_size);
}

TEST_CASE("vts and sp: a ball slides, rolls and stops as Coulomb's law says", "[rotation]") {
  const Solver solver = each_by_impulses();
  CAPTURE(static_cast<int>(solver.method), static_cast<int>(solver.iteration));
  Simulation slides(rolling_ball(0.0, 1.0, 0.0, 8, solver), on_cpu);
  slides.advance(200);
  CHECK(spinning(slides)[0].velocity.x == Approx(5.0 / 7.0).epsilon(1e-4));
  CHECK(spinning(slides)[0].spin.y == Approx(5.0 / 7.0).epsilon(1e-4));
  const double rolls = glm::radians(20.0), beyond = glm::radians(50.0);  // tan a = 7/2 mu at 46.4
  CHECK(acceleration(rolling_ball(20.0, 0.0, 0.0, 8, solver)) == Approx(5.0 / 7.0 * g * std::sin(rolls)).epsilon(1e-3));
  CHECK(acceleration(rolling_ball(50.0, 0.0, 0.0, 8, solver)) ==
        Approx(g * (std::sin(beyond) - ball_friction * std::cos(beyond))).epsilon(1e-3));
  CHECK(acceleration(rolling_ball(0.0, 1.0, 0.02, 8, solver)) == Approx(-5.0 / 7.0 * 0.02 * g).epsilon(1e-3));
  CHECK(std::abs(acceleration(rolling_ball(11.0, 0.0, 0.2, 8, solver))) < 1e-3);  // atan 0.2 = 11.31
  const double a = glm::radians(12.0);
  CHECK(acceleration(rolling_ball(12.0, 0.0, 0.2, 8, solver)) ==
        Approx(5.0 / 7.0 * g * (std::sin(a) - 0.2 * std::cos(a))).epsilon(1e-3));
}

TEST_CASE("vts: a free cloud of grains keeps its momentum and angular momentum", "[rotation]") {
  const Solver solver = default_solver(
      Method::vts, GENERATE(Iteration::improved_jacobi, Iteration::jacobi, Iteration::mass_splitting, Iteration::pja));
  CAPTURE(static_cast<int>(solver.iteration));
  const auto [before, after] = momenta_of_cloud(solver, GENERATE(0.0, 0.3));
  CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
  CHECK(glm::length(after.angular - before.angular) < 1e-6 * before.angular_size);
}

// Impulses of sp follow normals of positions that move between its iterations, so that what acts along one normal at
// the start of a substep no longer does at its end: an error of the first order in the substep, without friction too.
TEST_CASE("sp: a free cloud of grains keeps its momentum, and its angular momentum to the order of a substep",
          "[rotation]") {
  const Solver solver =
      default_solver(Method::sp, GENERATE(Iteration::improved_jacobi, Iteration::jacobi, Iteration::mass_splitting));
  const double rolling = GENERATE(0.0, 0.3);
  CAPTURE(static_cast<int>(solver.iteration), rolling);
  double lost[2];
  for (const int k : {0, 1}) {
    const auto [before, after] = momenta_of_cloud(solver, rolling, 8 << k);
    CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
    lost[k] = glm::length(after.angular - before.angular) / before.angular_size;
  }
  CAPTURE(lost[0], lost[1]);
  CHECK(lost[0] < 3e-3);
  CHECK(lost[1] / lost[0] == Approx(0.5).margin(0.2));
}

TEST_CASE("Grains and a dynamic body keep their angular momentum", "[rotation]") {
  Scene scene = cloud(0.045, default_solver(GENERATE(Method::dem, Method::vts)));
  scene.bodies = {body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.0})};
  scene.bodies[0].density = 800.0;
  for (Material& material : scene.materials)
    material.rolling_friction = 0.2;
  Simulation simulation(scene, on_cpu);
  const double mass = 800.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(0.03, 3), inertia = 0.4 * mass * 0.03 * 0.03;
  const auto angular = [&] {
    const BodyMotion body = read_field<RigidState>(simulation.executor(), FieldId::rigid_states, 1)[0].motion;
    return momenta_with_spins(spinning(simulation)).angular +
           mass * glm::cross(glm::dvec3(body.position), glm::dvec3(body.velocity)) + inertia * glm::dvec3(body.spin);
  };
  set_spin(simulation, {1.0, -0.5, 2.0});
  const glm::dvec3 before = angular();
  const double size = momenta_with_spins(spinning(simulation)).angular_size;
  simulation.advance(60);
  CHECK(glm::length(read_field<RigidState>(simulation.executor(), FieldId::rigid_states, 1)[0].motion.spin) > 0.5f);
  CHECK(glm::length(angular() - before) < 2e-6 * size);
}

TEST_CASE("Grains and a shape keep their angular momentum, and its particles spin as it turns", "[rotation][shape]") {
  Scene scene = cloud(0.045);
  ShapeSpec shape;
  shape.name = "brick";
  shape.grains.radius_min = shape.grains.radius_max = 0.006;
  shape.grains.shape = BoxFill{{-0.025, -0.02, -0.015}, {0.025, 0.02, 0.015}};
  scene.shapes.push_back(shape);
  Simulation simulation(scene, on_cpu);
  set_spin(simulation, {1.0, -0.5, 2.0});
  simulation.advance(1);  // the particles' spins have become the shape's
  const MomentaWithSpins before = momenta_with_spins(spinning(simulation));
  simulation.advance(30);
  const std::vector<Spinning> grains = spinning(simulation);
  CHECK(glm::length(momenta_with_spins(grains).angular - before.angular) < 2e-6 * before.angular_size);
  const Spinning& particle = grains[scene.grains.size()];
  CHECK(particle.radius == Approx(0.006));
  CHECK(glm::length(particle.spin) > 0.02);
  CHECK(glm::length(particle.spin - grains.back().spin) < 1e-5);
}

TEST_CASE("A bed of grains that rotate comes to rest", "[rotation]") {
  const Method method = GENERATE(Method::dem, Method::vts, Method::sp);
  CAPTURE(static_cast<int>(method));
  Scene scene = box_of(500);
  scene.solver = rotating_scene(8, default_solver(method)).solver;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.5;
  scene.materials[0].rolling_friction = 0.05;
  Simulation simulation(scene, on_cpu);
  simulation.advance(static_cast<std::uint64_t>(2.0 / scene.dt));
  double fastest = 0.0;
  for (const Spinning& grain : spinning(simulation))
    fastest = std::max({fastest, glm::length(grain.spin), glm::length(grain.velocity)});
  CHECK(fastest < 3e-3);
}

TEST_CASE("Vectorised passes agree with their references where grains rotate", "[lockstep][rotation]") {
  const bool avx512 = GENERATE(false, true), rolls = GENERATE(false, true);
  const Solver solver =
      rolls ? each_rotating() : default_solver(GENERATE(Method::dem, Method::vts, Method::sp));  // each iteration once
  CAPTURE(avx512, rolls, static_cast<int>(solver.method), static_cast<int>(solver.iteration));
  Scene scene = jumble_with_bodies(400);
  scene.solver = rotating_scene(3, solver).solver;
  scene.materials[1].rolling_friction = rolls ? 0.2 : 0.0;
  Simulation simulation(scene, {.device = "cpu", .verify = true, .avx512 = avx512});
  REQUIRE_NOTHROW(simulation.advance(4));
}

TEST_CASE("Passes agree with their references where grains rotate", "[lockstep][rotation][device]") {
  Scene scene = jumble_with_bodies(300);
  const auto [solver, rolling] = GENERATE(
      std::pair(default_solver(Method::dem), 0.0), std::pair(default_solver(Method::dem), 0.2),
      std::pair(default_solver(Method::vts), 0.2), std::pair(default_solver(Method::vts, Iteration::jacobi), 0.2),
      std::pair(default_solver(Method::sp), 0.2),
      std::pair(default_solver(Method::sp, Iteration::mass_splitting), 0.2));
  scene.solver = rotating_scene(3, solver).solver;
  scene.materials[0].rolling_friction = scene.materials[1].rolling_friction = rolling;
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  CHECK(complaints(simulation).empty());
}
