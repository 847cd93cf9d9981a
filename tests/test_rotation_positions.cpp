// Grains that rotate in the methods that correct positions, p2 and pbd.
#include "lanes.h"
#include "scratch.h"
#include "spinning.h"
#include "wrong.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Each way to share a grain's mass among its contacts, and each bound of friction. weightless: but for the bound that
// is the grain's weight.
Solver each_by_positions(bool weightless = false) {
  std::vector<Solver> all;
  for (const Method method : {Method::p2, Method::pbd}) {
    for (const Iteration iteration : {Iteration::jacobi, Iteration::mass_splitting, Iteration::gauss_seidel})
      all.push_back(default_solver(method, iteration));
    all.push_back(default_solver(method));
    all.back().averaging = Averaging::plain;
  }
  all.back().friction = FrictionBound::per_iteration;
  if (!weightless) {
    all.push_back(default_solver(Method::pbd));
    all.back().friction = FrictionBound::afterwards;
  }
  return all[GENERATE_COPY(range(std::size_t{0}, all.size()))];
}

}  // namespace

TEST_CASE("p2 and pbd: a ball slides, rolls and stops as Coulomb's law says", "[rotation]") {
  const Solver solver = each_by_positions();
  CAPTURE(static_cast<int>(solver.method), static_cast<int>(solver.iteration), static_cast<int>(solver.friction));
  Simulation slides(rolling_ball(solver, 0.0, 1.0), on_cpu);
  slides.advance(200);
  CHECK(spinning_grains(slides)[0].velocity.x == Approx(5.0 / 7.0).epsilon(1e-4));
  CHECK(spinning_grains(slides)[0].spin.y == Approx(5.0 / 7.0).epsilon(1e-4));
  CHECK(in_second_second(rolling_ball(solver, 20.0, 0.0)).acceleration ==
        Approx(5.0 / 7.0 * g * std::sin(glm::radians(20.0))).epsilon(1e-3));
  // What presses, or counts as if it did.
  const auto presses = [&](double degrees) {
    return solver.friction == FrictionBound::afterwards ? g : g * std::cos(glm::radians(degrees));
  };
  const double down = g * std::sin(glm::radians(50.0));  // beyond tan a = 7/2 mu, at 46.4
  CHECK(in_second_second(rolling_ball(solver, 50.0, 0.0)).acceleration ==
        Approx(std::max(down - spinning_friction * presses(50.0), 5.0 / 7.0 * down)).epsilon(1e-3));
  CHECK(in_second_second(rolling_ball(solver, 0.0, 1.0, 0.02)).acceleration ==
        Approx(-5.0 / 7.0 * 0.02 * g).epsilon(1e-3));
  CHECK(
      in_second_second(rolling_ball(solver, 12.0, 0.0, 0.2)).acceleration ==
      Approx(5.0 / 7.0 * (g * std::sin(glm::radians(12.0)) - 0.2 * presses(12.0))).epsilon(2e-3));  // atan 0.2 = 11.31
}

TEST_CASE("p2: rolling friction with memory holds a ball on a slope, and pbd, without memory, lets it creep",
          "[rotation]") {
  const auto speed_after = [](const Solver& solver) {
    Simulation simulation(rolling_ball(solver, 10.0, 0.0, 0.2), on_cpu);  // atan 0.2 = 11.31
    simulation.advance(400);
    return static_cast<double>(simulation.grains()[0].velocity.x);
  };
  CHECK(std::abs(speed_after(default_solver(Method::p2))) < 1e-6);
  const double creeps = speed_after(default_solver(Method::pbd));
  CHECK(creeps > 1e-3);
  CHECK(creeps < g / 1600.0);
}

TEST_CASE("p2 and pbd: a top keeps its spin, and twisting friction slows it", "[rotation]") {
  const Method method = GENERATE(Method::p2, Method::pbd);
  const double twisting = GENERATE(0.0, 0.1);
  CAPTURE(static_cast<int>(method), twisting);
  Simulation simulation(rolling_ball(default_solver(method), 0.0, 0.0, twisting), on_cpu);
  simulation.advance(100);
  set_spins(simulation, {0.0, 0.0, 1.0});
  simulation.advance(40);
  CHECK(spinning_grains(simulation)[0].spin.z == Approx(1.0 - 2.5 * twisting * g * 0.2).epsilon(2e-3));
}

TEST_CASE("p2: a grain that spins does not sleep, and one that sleeps does not spin", "[rotation]") {
  Scene scene = rolling_ball(default_solver(Method::p2), 0.0, 0.0, 0.1);
  scene.solver.sleep_speed = 0.01;
  Simulation simulation(scene, on_cpu);
  simulation.advance(100);
  set_spins(simulation, {0.0, 0.0, 0.5});
  simulation.advance(20);
  CHECK(spinning_grains(simulation)[0].spin.z == Approx(0.5 - 2.5 * 0.1 * g * 0.1).epsilon(5e-3));
  simulation.advance(60);
  CHECK(spinning_grains(simulation)[0].spin == glm::dvec3(0.0));
  CHECK(spinning_grains(simulation)[0].velocity == glm::dvec3(0.0));
}

// Without friction, spins have no part in what grains do: to the bit.
TEST_CASE("p2 and pbd: without friction, grains that could rotate move as those that cannot", "[rotation]") {
  const Solver solver = each_by_positions();
  std::vector<GrainState> after[2];
  for (const bool rotates : {false, true}) {
    Scene scene = with(jumble_with_bodies(300), solver);
    scene.solver.rotation = rotates;
    for (Material& material : scene.materials)
      material.friction_static = material.friction_kinetic = material.adhesion = 0.0;
    scene.domain.friction_static = scene.domain.friction_kinetic = 0.0;
    Simulation simulation(scene, on_cpu);
    simulation.advance(10);
    after[rotates] = simulation.grains();
  }
  REQUIRE(after[0].size() == after[1].size());
  std::size_t alike = 0;
  for (std::size_t k = 0; k < after[0].size(); ++k)
    alike += after[0][k].position == after[1][k].position && after[0][k].velocity == after[1][k].velocity;
  CHECK(alike == after[0].size());
}

// A contact with a body has the normal of the substep's start, so that nothing of the angular momentum is lost.
TEST_CASE("p2 and pbd: a grain that spins and a dynamic body keep their angular momentum", "[rotation]") {
  const Solver solver = each_by_positions(true);
  CAPTURE(static_cast<int>(solver.method), static_cast<int>(solver.iteration), static_cast<int>(solver.friction));
  Scene scene = free_cloud(solver, 0.2);
  scene.grains.clear();
  add_points(scene, 0.01, {{0.02, 0.004, 0.05}}, {0.0, 0.0, -1.0});
  scene.bodies = {body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.0})};
  scene.bodies[0].density = 800.0;
  Simulation simulation(scene, on_cpu);
  const double mass = mass_of(0.03, 800.0), inertia = 0.4 * mass * 0.03 * 0.03;
  const auto body = [&] { return read_field<RigidState>(simulation.executor(), FieldId::rigid_states, 1)[0].motion; };
  const auto angular = [&] {
    return momenta_with_spins(spinning_grains(simulation)).angular +
           mass * glm::cross(glm::dvec3(body().position), glm::dvec3(body().velocity)) +
           inertia * glm::dvec3(body().spin);
  };
  set_spins(simulation, {1.0, -0.5, 2.0});
  const glm::dvec3 before = angular();
  const double size = momenta_with_spins(spinning_grains(simulation)).angular_size;
  simulation.advance(20);
  CHECK(glm::length(body().spin) > 0.5f);
  CHECK(glm::length(angular() - before) < 2e-6 * size);
}

TEST_CASE("p2: a bed of grains that rotate comes to rest", "[rotation]") {
  Scene scene = with(box_of(300), default_solver(Method::p2));
  scene.solver.iterations = 4;
  scene.solver.rotation = true;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.5;
  scene.materials[0].rolling_friction = GENERATE(0.0, 0.4);
  CAPTURE(scene.materials[0].rolling_friction);
  Simulation simulation(scene, on_cpu);
  simulation.advance(static_cast<std::uint64_t>(1.5 / scene.dt));
  CHECK(fastest_of(simulation) < 3e-3);
}

TEST_CASE("p2 and pbd: vectorised passes agree with their references where grains rotate", "[lockstep][rotation]") {
  const int lanes = each_lanes();
  const double rolling = GENERATE(0.0, 0.2);
  CAPTURE(lanes, rolling);
  Solver solver = default_solver(GENERATE(Method::p2, Method::pbd));
  if (solver.method == Method::pbd)
    solver.friction = GENERATE(FrictionBound::accumulated, FrictionBound::per_iteration);
  Scene scene = jumble_with_bodies(300);
  scene.solver = rotating_scene(solver, 3).solver;
  scene.solver.sleep_speed = scene.solver.method == Method::p2 ? 0.05 : 0.0;
  scene.materials[1].rolling_friction = rolling;
  Simulation simulation(scene, {.device = "cpu", .verify = true, .lanes = lanes});
  REQUIRE_NOTHROW(simulation.advance(3));
}

TEST_CASE("p2 and pbd: passes agree with their references where grains rotate", "[lockstep][rotation][device]") {
  Scene scene = jumble_with_bodies(300);
  const auto [method, rolling] =
      GENERATE(std::pair(Method::p2, 0.0), std::pair(Method::p2, 0.2), std::pair(Method::pbd, 0.2));
  scene.solver = rotating_scene(default_solver(method), 3).solver;
  scene.solver.sleep_speed = method == Method::p2 ? 0.05 : 0.0;
  for (Material& material : scene.materials)
    material.rolling_friction = rolling;
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  CHECK(complaints(simulation).empty());
}
