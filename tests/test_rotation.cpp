// Grains that rotate: exact cases, and what is conserved.
#include "engine/core/setup.h"
#include "lanes.h"
#include "spinning.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

const Solver dem_solver = default_solver(Method::dem);

double acceleration(const Scene& scene) {
  return in_second_second(scene).acceleration;
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

}  // namespace

TEST_CASE("A ball that slides comes to roll at 5/7 of its speed", "[rotation]") {
  Simulation simulation(rolling_ball(dem_solver, 0.0, 1.0), on_cpu);
  const double time = 2.0 / (7.0 * spinning_friction * g);
  simulation.advance(static_cast<std::uint64_t>(0.9 * time / simulation.scene().dt));
  const SpinningGrain slides = spinning_grains(simulation)[0];
  CHECK(slides.velocity.x - slides.spin.y > 0.05);
  simulation.advance(static_cast<std::uint64_t>(0.3 * time / simulation.scene().dt));
  const SpinningGrain rolls = spinning_grains(simulation)[0];
  CHECK(rolls.velocity.x == Approx(5.0 / 7.0).epsilon(1e-3));  // the spring has yet to come to rest
  CHECK(rolls.spin.y == Approx(5.0 / 7.0).epsilon(1e-3));
  simulation.advance(200);
  CHECK(spinning_grains(simulation)[0].velocity.x == Approx(5.0 / 7.0).epsilon(1e-5));
  CHECK(spinning_grains(simulation)[0].spin.y == Approx(5.0 / 7.0).epsilon(1e-5));
}

TEST_CASE("A ball on an incline rolls where friction bears it, and slides beyond", "[rotation]") {
  for (const double degrees : {5.0, 20.0, 40.0, 50.0, 60.0}) {  // tan a = 7/2 spinning_friction at 46.4
    CAPTURE(degrees);
    const double a = glm::radians(degrees);
    const double exact = std::tan(a) < 3.5 * spinning_friction ? 5.0 / 7.0 * g * std::sin(a)
                                                               : g * (std::sin(a) - spinning_friction * std::cos(a));
    CHECK(acceleration(rolling_ball(dem_solver, degrees, 0.0)) == Approx(exact).epsilon(1e-3));
  }
}

TEST_CASE("Rolling friction slows a ball, and holds it on a slope", "[rotation]") {
  Simulation simulation(rolling_ball(dem_solver, 0.0, 1.0, 0.1), on_cpu);
  simulation.advance(100);
  const double before = simulation.grains()[0].velocity.x;
  simulation.advance(40);
  CHECK(before - static_cast<double>(simulation.grains()[0].velocity.x) ==
        Approx(5.0 / 7.0 * 0.1 * g * 0.2).epsilon(1e-3));
  simulation.advance(400);
  CHECK(std::abs(simulation.grains()[0].velocity.x) < 1e-6f);
  for (const double degrees : {5.0, 11.2}) {  // atan 0.2 = 11.31
    CAPTURE(degrees);
    CHECK(std::abs(acceleration(rolling_ball(dem_solver, degrees, 0.0, 0.2))) < 1e-5);
  }
  const double a = glm::radians(12.0);
  CHECK(acceleration(rolling_ball(dem_solver, 12.0, 0.0, 0.2)) ==
        Approx(5.0 / 7.0 * g * (std::sin(a) - 0.2 * std::cos(a))).epsilon(5e-3));
}

TEST_CASE("A top keeps its spin, and twisting friction slows it", "[rotation]") {
  Solver awake = dem_solver;
  awake.sleep = false;  // sleep does not know of a spin that is written into the state
  for (const double twisting : {0.0, 0.1}) {
    CAPTURE(twisting);
    Simulation simulation(rolling_ball(awake, 0.0, 0.0, twisting), on_cpu);
    simulation.advance(100);
    set_spins(simulation, {0.0, 0.0, 1.0});
    simulation.advance(40);
    CHECK(spinning_grains(simulation)[0].spin.z == Approx(1.0 - 2.5 * twisting * g * 0.2).epsilon(2e-3));
  }
}

// Chung and Ooi 2011, tests 4 and 5, with the wall: sliding takes 7/2 spinning_friction (1 + e) v_n of the surface's
// speed.
TEST_CASE("An oblique impact turns a ball by what friction bears", "[rotation]") {
  Scene scene = rolling_ball(dem_solver, 0.0, 0.0, 0.0, 32);
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.grains.clear();
  add_points(scene, 0.05, {{0.0, 0.0, 0.0525}}, {4.0, 0.0, -1.0});
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  const SpinningGrain after = spinning_grains(simulation)[0];
  CHECK(after.velocity.z > 0.5);
  CHECK(after.velocity.x == Approx(4.0 - spinning_friction * (1.0 + after.velocity.z)).epsilon(1e-4));
  CHECK(after.spin.y == Approx(2.5 * spinning_friction * (1.0 + after.velocity.z)).epsilon(1e-4));
}

TEST_CASE("vts and sp: a ball slides, rolls and stops as Coulomb's law says", "[rotation]") {
  const bool serial = GENERATE(false, true);
  const Solver solver =
      serial ? default_solver(GENERATE(Method::vts, Method::sp), Iteration::gauss_seidel) : each_by_impulses();
  CAPTURE(static_cast<int>(solver.method), static_cast<int>(solver.iteration));
  Simulation slides(rolling_ball(solver, 0.0, 1.0), on_cpu);
  slides.advance(200);
  CHECK(spinning_grains(slides)[0].velocity.x == Approx(5.0 / 7.0).epsilon(1e-4));
  CHECK(spinning_grains(slides)[0].spin.y == Approx(5.0 / 7.0).epsilon(1e-4));
  const double rolls = glm::radians(20.0), beyond = glm::radians(50.0);  // tan a = 7/2 mu at 46.4
  CHECK(acceleration(rolling_ball(solver, 20.0, 0.0)) == Approx(5.0 / 7.0 * g * std::sin(rolls)).epsilon(1e-3));
  CHECK(acceleration(rolling_ball(solver, 50.0, 0.0)) ==
        Approx(g * (std::sin(beyond) - spinning_friction * std::cos(beyond))).epsilon(1e-3));
  CHECK(acceleration(rolling_ball(solver, 0.0, 1.0, 0.02)) == Approx(-5.0 / 7.0 * 0.02 * g).epsilon(1e-3));
  CHECK(std::abs(acceleration(rolling_ball(solver, 11.0, 0.0, 0.2))) < 1e-3);  // atan 0.2 = 11.31
  const double a = glm::radians(12.0);
  CHECK(acceleration(rolling_ball(solver, 12.0, 0.0, 0.2)) ==
        Approx(5.0 / 7.0 * g * (std::sin(a) - 0.2 * std::cos(a))).epsilon(1e-3));
}

TEST_CASE("dem and vts: a free cloud of grains keeps its momentum and angular momentum", "[rotation]") {
  const auto [method, iteration] =
      GENERATE(std::pair(Method::dem, Iteration::jacobi), std::pair(Method::vts, Iteration::improved_jacobi),
               std::pair(Method::vts, Iteration::jacobi), std::pair(Method::vts, Iteration::mass_splitting),
               std::pair(Method::vts, Iteration::pja), std::pair(Method::vts, Iteration::gauss_seidel));
  CAPTURE(static_cast<int>(method), static_cast<int>(iteration));
  const auto [before, after] = momenta_of_cloud(default_solver(method, iteration), GENERATE(0.0, 0.3));
  const double rounding = iteration == Iteration::gauss_seidel ? 2e-6 : 1e-6;  // it adds each contact's share by itself
  CHECK(glm::length(after.linear - before.linear) < rounding * before.linear_size);
  CHECK(glm::length(after.angular - before.angular) < rounding * before.angular_size);
}

// Their corrections follow normals of positions that move between iterations, so that what acts along one normal at the
// start of a substep no longer does at its end: an error of the first order in the substep, without friction too.
TEST_CASE("sp, p2 and pbd: a free cloud keeps its momentum, and its angular momentum to the order of a substep",
          "[rotation]") {
  const auto [method, iteration] =
      GENERATE(std::pair(Method::sp, Iteration::improved_jacobi), std::pair(Method::sp, Iteration::jacobi),
               std::pair(Method::sp, Iteration::mass_splitting), std::pair(Method::p2, Iteration::jacobi),
               std::pair(Method::p2, Iteration::mass_splitting), std::pair(Method::pbd, Iteration::jacobi),
               std::pair(Method::pbd, Iteration::mass_splitting), std::pair(Method::sp, Iteration::gauss_seidel),
               std::pair(Method::p2, Iteration::gauss_seidel), std::pair(Method::pbd, Iteration::gauss_seidel));
  const double rolling = GENERATE(0.0, 0.3);
  CAPTURE(static_cast<int>(method), static_cast<int>(iteration), rolling);
  double lost[2];
  for (const int k : {0, 1}) {
    const auto [before, after] = momenta_of_cloud(default_solver(method, iteration), rolling, 8 << k);
    CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
    lost[k] = glm::length(after.angular - before.angular) / before.angular_size;
  }
  CAPTURE(lost[0], lost[1]);
  CHECK(lost[0] < 3e-3);
  CHECK(lost[1] / lost[0] == Approx(0.5).margin(0.2));
}

TEST_CASE("Grains and a dynamic body keep their angular momentum", "[rotation]") {
  Scene scene = free_cloud(default_solver(GENERATE(Method::dem, Method::vts)), 0.2, 8, 0.045);
  scene.bodies = {body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.0})};
  scene.bodies[0].density = 800.0;
  Simulation simulation(scene, on_cpu);
  const double mass = 800.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(0.03, 3), inertia = 0.4 * mass * 0.03 * 0.03;
  const auto angular = [&] {
    const BodyMotion body = read_field<RigidState>(simulation.executor(), FieldId::rigid_states, 1)[0].motion;
    return momenta_with_spins(spinning_grains(simulation)).angular +
           mass * glm::cross(glm::dvec3(body.position), glm::dvec3(body.velocity)) + inertia * glm::dvec3(body.spin);
  };
  set_spins(simulation, {1.0, -0.5, 2.0});
  const glm::dvec3 before = angular();
  const double size = momenta_with_spins(spinning_grains(simulation)).angular_size;
  simulation.advance(
      28);  // most have parted; from here on the rounding of positions alone adds 4e-8 a step, as before they meet
  CHECK(glm::length(read_field<RigidState>(simulation.executor(), FieldId::rigid_states, 1)[0].motion.spin) > 0.5f);
  CHECK(glm::length(angular() - before) < 2e-6 * size);
}

TEST_CASE("Grains and a shape keep their angular momentum, and its particles spin as it turns", "[rotation][shape]") {
  Scene scene = free_cloud(dem_solver, 0.0, 8, 0.045);
  ShapeSpec shape;
  shape.name = "brick";
  shape.grains.radius_min = shape.grains.radius_max = 0.006;
  shape.grains.shape = BoxFill{{-0.025, -0.02, -0.015}, {0.025, 0.02, 0.015}};
  scene.shapes.push_back(shape);
  Simulation simulation(scene, on_cpu);
  set_spins(simulation, {1.0, -0.5, 2.0});
  simulation.advance(1);  // the particles' spins have become the shape's
  const MomentaWithSpins before = momenta_with_spins(spinning_grains(simulation));
  simulation.advance(30);
  const std::vector<SpinningGrain> grains = spinning_grains(simulation);
  CHECK(glm::length(momenta_with_spins(grains).angular - before.angular) < 2e-6 * before.angular_size);
  const SpinningGrain& particle = grains[scene.grains.size()];
  CHECK(particle.radius == Approx(0.006));
  CHECK(glm::length(particle.spin) > 0.005);  // m/s, of its surface: 0.8 rad/s
  CHECK(glm::length(particle.spin - grains.back().spin) < 1e-5);
}

TEST_CASE("A bed of grains that rotate comes to rest", "[rotation]") {
  const Method method = GENERATE(Method::dem, Method::vts, Method::sp);
  CAPTURE(static_cast<int>(method));
  Scene scene = box_of(500);
  scene.solver = rotating_scene(default_solver(method)).solver;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.5;
  scene.materials[0].rolling_friction = 0.05;
  Simulation simulation(scene, on_cpu);
  simulation.advance(static_cast<std::uint64_t>(2.0 / scene.dt));
  CHECK(fastest_of(simulation) < 3e-3);
}

TEST_CASE("Vectorised passes agree with their references where grains rotate", "[lockstep][rotation]") {
  const int lanes = each_lanes();
  const bool rolls = GENERATE(false, true);
  const Solver solver =
      rolls ? each_rotating() : default_solver(GENERATE(Method::dem, Method::vts, Method::sp));  // each iteration once
  CAPTURE(lanes, rolls, static_cast<int>(solver.method), static_cast<int>(solver.iteration));
  Scene scene = jumble_with_bodies(400);
  scene.solver = rotating_scene(solver, 3).solver;
  scene.materials[1].rolling_friction = rolls ? 0.2 : 0.0;
  Simulation simulation(scene, {.device = "cpu", .verify = true, .lanes = lanes});
  REQUIRE_NOTHROW(simulation.advance(4));
}

TEST_CASE("Passes agree with their references where grains rotate", "[lockstep][rotation][device]") {
  Scene scene = jumble_with_bodies(300);
  const auto [solver, rolling] = GENERATE(
      std::pair(default_solver(Method::dem), 0.0), std::pair(default_solver(Method::dem), 0.2),
      std::pair(default_solver(Method::vts), 0.2), std::pair(default_solver(Method::vts, Iteration::jacobi), 0.2),
      std::pair(default_solver(Method::sp), 0.2),
      std::pair(default_solver(Method::sp, Iteration::mass_splitting), 0.2));
  scene.solver = rotating_scene(solver, 3).solver;
  scene.materials[0].rolling_friction = scene.materials[1].rolling_friction = rolling;
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  CHECK(complaints(simulation).empty());
}

TEST_CASE("Contact slots that run out keep the spins of grains, with linked lists too", "[rotation]") {
  Scene scene = with(box_of(300), default_solver(Method::dem));
  scene.solver.neighbours = GENERATE(Neighbours::sorted, Neighbours::linked);
  scene.solver.substeps = 3;  // an odd number of exchanges in a step
  const auto hash = [&](std::uint32_t slots) {
    Simulation simulation(scene, {.device = "cpu", .contact_slots = slots});
    simulation.advance(60);
    return simulation.state_hash();
  };
  CHECK(hash(1) == hash(0));
}

TEST_CASE("Rolling friction is the mean of two materials, or that of the one that has it", "[rotation][scene]") {
  const Scene scene =
      parse_scene("[[material]]\nname = \"sand\"\nrolling_friction = 0.2\n[[material]]\nname = \"steel\"\n"
                  "[[material]]\nname = \"gravel\"\nrolling_friction = 0.8\n[[material]]\nname = \"glass\"\n",
                  "s.toml");
  const std::vector<PairLaw> laws = pair_laws_of(scene);
  const auto rolling = [&](std::size_t a, std::size_t b) { return laws.at(5 * a + b).rolling; };
  CHECK(rolling(0, 2) == Approx(0.4));
  CHECK(rolling(0, 1) == Approx(0.2));
  CHECK(rolling(1, 0) == Approx(0.2));
  CHECK(rolling(1, 3) == 0.0f);
  CHECK(rolling(0, 4) == Approx(0.2));  // the wall
}

namespace {

// The share of the slip of two equal grains' surfaces that comes back, where friction holds: its mean over the phases
// of a substep.
double tangential_restitution(const Scene& like) {
  constexpr int phases = 40;
  Scene scene = like;
  scene.grains.clear();
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  const double r = like.grains[0].radius_min, speed = 0.5, h = scene.dt / scene.solver.substeps;
  for (int k = 0; k < phases; ++k) {
    const double x = 6.0 * r * k, gap = (k + 0.5) / phases * 2.0 * speed * h;
    add_points(scene, r, {{x, 0.0, -r}}, {0.25, 0.0, speed});
    add_points(scene, r, {{x, 0.0, r + gap}}, {-0.25, 0.0, -speed});
  }
  Simulation simulation(scene, on_cpu);
  simulation.advance(4);
  double sum = 0.0;
  const std::vector<SpinningGrain> grains = spinning_grains(simulation);
  for (std::size_t k = 0; k < grains.size(); k += 2) {
    const SpinningGrain &lower = grains[k], &upper = grains[k + 1];
    REQUIRE(upper.velocity.z - lower.velocity.z > 0.0);
    sum += lower.velocity.x + lower.spin.y - (upper.velocity.x - upper.spin.y);
  }
  return -sum / (phases * 0.5);
}

struct Temperatures {
  double translation, rotation;  // m2/s2: two thirds of the energy by the mass
};
Temperatures temperatures_of(const std::vector<SpinningGrain>& grains) {
  Temperatures t{0.0, 0.0};
  double mass = 0.0;
  for (const SpinningGrain& grain : grains) {
    t.translation += grain.mass * glm::dot(grain.velocity, grain.velocity) / 3.0;
    t.rotation += grain.inertia * glm::dot(grain.spin, grain.spin) / (3.0 * grain.radius * grain.radius);
    mass += grain.mass;
  }
  return {t.translation / mass, t.rotation / mass};
}

}  // namespace

// Rough spheres without gravity (Luding, Huthmann, McNamara and Zippelius, Phys. Rev. E 58, 3416, 1998, in three
// dimensions): with T of translation and S of rotation,
//   dT/dt = -G (A T^1.5 - B T^.5 S),  dS/dt = G (B T^1.5 - C T^.5 S),
//   A = (1 - e^2)/4 + eta (1 - eta),  B = eta^2/q,  C = eta/q (1 - eta/q),  eta = q (1 + beta)/(2 q + 2),  q = 2/5,
// and G = 16/3 sqrt(pi) n d^2 chi, of n spheres a volume of diameter d and the pair correlation chi at contact
// (Carnahan and Starling). S/T tends to R, where both sides fall alike, and T from there on as (1 + t/tau)^-2 (Haff, J.
// Fluid Mech. 134, 401, 1983).
TEST_CASE("A cloud of rough grains cools by Haff's law, and shares its energy between translation and rotation",
          "[rotation]") {
  const double e = 0.8, r = 0.005, filled = 0.05, q = 0.4;
  const unsigned edge_grains = 10, count = edge_grains * edge_grains * edge_grains;
  Scene scene = rotating_scene(dem_solver, 16);
  const double volume = count * 4.0 / 3.0 * pi_ * r * r * r / filled, edge = std::cbrt(volume);
  scene.domain.min = glm::dvec3(-0.5 * edge);
  scene.domain.max = glm::dvec3(0.5 * edge);
  scene.domain.axis = {Axis::periodic, Axis::periodic, Axis::periodic};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials[0].restitution = e;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 1e3;  // no contact slides
  std::vector<glm::dvec3> points;
  for (unsigned k = 0; k < count; ++k)
    points.push_back(edge * ((glm::dvec3(k % 10, k / 10 % 10, k / 100) + 0.5) / 10.0 - 0.5));
  add_points(scene, r, points);
  scene.grains[0].velocity_random = 0.5;

  const double beta = tangential_restitution(scene);
  const double eta = q * (1.0 + beta) / (2.0 * q + 2.0);
  const double a = (1.0 - e * e) / 4.0 + eta * (1.0 - eta), b = eta * eta / q, c = eta / q * (1.0 - eta / q);
  const double ratio = (a - c + std::sqrt((a - c) * (a - c) + 4.0 * b * b)) / (2.0 * b);
  const double chi = (1.0 - 0.5 * filled) / std::pow(1.0 - filled, 3);
  const double rate = 8.0 / 3.0 * std::sqrt(pi_) * count / volume * 4.0 * r * r * chi * (a - b * ratio);

  Simulation simulation(scene, on_cpu);
  const MomentaWithSpins before = momenta_with_spins(spinning_grains(simulation));
  advance_to(simulation, 1.0);
  const Temperatures start = temperatures_of(spinning_grains(simulation));
  const double t0 = simulation.time();
  Temperatures now{};
  double ratios = 0.0;
  std::vector<double> falls;  // of T^-1/2, as shares of what theory says
  for (int k = 1; k <= 8; ++k) {
    advance_to(simulation, t0 + k);
    now = temperatures_of(spinning_grains(simulation));
    ratios += now.rotation / now.translation / 8.0;
    falls.push_back((1.0 / std::sqrt(now.translation) - 1.0 / std::sqrt(start.translation)) / (k * rate));
  }
  const MomentaWithSpins after = momenta_with_spins(spinning_grains(simulation));
  CAPTURE(beta, ratio, ratios, falls, start.translation / now.translation);
  CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
  CHECK(ratios == Approx(ratio).epsilon(0.05));
  for (const double fall : falls)
    CHECK(fall == Approx(1.0).epsilon(0.08));
  CHECK(start.translation > 8.0 * now.translation);
}

// A drum that turns at a constant speed, and grains in a steady state in it: the couple that they exert on it about its
// axis is that of their weight, less what their angular momentum gains.
TEST_CASE("The couple on a drum is the weight of its grains at their offset from the axis", "[rotation][loads]") {
  const double radius = 0.1, width = 0.062, speed = 2.0;  // m, m, rad/s
  Scene scene = rotating_scene(dem_solver, 16);
  scene.domain.axis = {Axis::open, Axis::periodic, Axis::open};
  scene.domain.min = {-0.2, -0.5 * width, -0.2};
  scene.domain.max = {0.2, 0.5 * width, 0.2};
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.5;
  scene.materials[0].rolling_friction = 0.1;
  GrainGroup group;
  group.radius_min = 0.004;
  group.radius_max = 0.005;
  group.shape = BoxFill{{-0.06, -0.5 * width, -0.07}, {0.06, 0.5 * width, 0.02}};
  scene.grains.push_back(group);
  scene.bodies = {body_of("drum", {{BoxPart{{0.24, 2.0 * width, 0.24}}},
                                   {ConePart{radius, radius, 4.0 * width}, {}, {90.0, 0.0, 0.0}, true}})};
  scene.bodies[0].material = 0;
  scene.bodies[0].spin = {0.0, speed, 0.0};
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 1.5);
  const auto angular = [&] { return momenta_with_spins(spinning_grains(simulation)).angular.y; };
  const double before = angular();
  const int steps = 400;
  double couple = 0.0, moment = 0.0;  // N m
  for (int k = 0; k < steps; ++k) {
    simulation.advance(1);
    couple += static_cast<double>(simulation.body_loads()[0].torque.y) / steps;
    for (const SpinningGrain& grain : spinning_grains(simulation))
      moment += grain.mass * g * grain.position.x / steps;
  }
  const double gain = (angular() - before) / (steps * scene.dt);
  double weight = 0.0;
  for (const SpinningGrain& grain : spinning_grains(simulation))
    weight += grain.mass * g;
  CAPTURE(couple, moment, gain, weight, simulation.grain_count());
  CHECK(moment < -0.2 * weight * radius);  // the grains are carried up on the side that rises
  CHECK(couple == Approx(moment - gain).epsilon(0.005));
  CHECK(-couple * speed > 0.0);  // power goes into them
}
