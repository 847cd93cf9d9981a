// Collisions whose restitution a scene gives.
#include "engine/scene/convergence.h"
#include "engine/scene/restitution.h"
#include "simulate.h"
#include "wrong.h"
#include <cmath>
#include <string>
#include <vector>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr int phases = 40;
constexpr double r = 0.01, speed = 1.0;  // m, m/s: a tenth of a radius in a substep

enum class Partner { grain, small_grain, wall, body };

Solver solver_of(Method method) {
  Solver solver = default_solver(method);
  solver.substeps = 1;
  return solver;
}

// Grains side by side that meet a partner at rest, or a wall, each in another phase of a substep, without gravity.
Scene collisions(const Solver& solver, Partner partner, double restitution, double slip = 0.0) {
  Scene scene = scene_of(1.0 / 960, 1, 5);
  scene.solver = solver;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
  scene.materials[0].restitution = restitution;
  const double floor = partner == Partner::wall ? 0.0 : 0.5;
  const double below = partner == Partner::grain ? r : 0.6 * r;
  std::vector<glm::dvec3> struck, striking;
  for (int k = 0; k < phases; ++k) {
    const double x = 0.04 * k - 0.8, gap = (k + 0.5) / phases * speed * scene.dt;
    struck.emplace_back(x, 0.0, floor - below);
    striking.emplace_back(x, 0.0, floor + r + gap);
  }
  add_points(scene, r, striking, {slip, 0.0, -speed});
  if (partner == Partner::grain || partner == Partner::small_grain)
    add_points(scene, below, struck);
  if (partner == Partner::body) {
    scene.bodies.push_back(body_of("table", {{BoxPart{{2.0, 0.2, 0.2}}}}, {0.0, 0.0, 0.4}));
    scene.bodies[0].material = 0;
  }
  return scene;
}

// The greatest and the least speed of parting by that of approach.
std::pair<double, double> rebounds(const Scene& scene) {
  Simulation simulation(scene, on_cpu);
  simulation.advance(60);
  const auto grains = simulation.grains();
  std::pair<double, double> range{1e9, -1e9};
  for (int k = 0; k < phases; ++k) {
    double v = grains[k].velocity.z;
    if (scene.grains.size() > 1)
      v -= grains[phases + k].velocity.z;
    range = {std::min(range.first, v / speed), std::max(range.second, v / speed)};
  }
  return range;
}

Solver each_solver() {
  return solver_of(GENERATE(Method::dem, Method::vts, Method::sp));
}

}  // namespace

TEST_CASE("A collision gives the restitution that is asked for in every phase of a substep", "[restitution]") {
  const Solver solver = each_solver();
  const Partner partner = GENERATE(Partner::grain, Partner::small_grain, Partner::wall, Partner::body);
  const double e = GENERATE(0.1, 0.3, 0.5, 0.7, 0.9, 1.0);
  const auto [least, most] = rebounds(collisions(solver, partner, e));
  CAPTURE(static_cast<int>(solver.method), static_cast<int>(partner), e, least, most);
  CHECK(least > e - 0.03);
  CHECK(most < std::min(e + 0.03, 1.0001));  // more than 1 by rounding alone
}

TEST_CASE("Without restitution, that of dem goes by the phase of the substep", "[restitution]") {
  Scene scene = collisions(solver_of(Method::dem), Partner::grain, 0.5);
  scene.materials[0].restitution.reset();
  const auto [least, most] = rebounds(scene);
  CHECK(least == Approx(0.68).margin(0.01));
  CHECK(most == Approx(0.80).margin(0.02));
}

TEST_CASE("Slip does not change the restitution along the normal", "[restitution]") {
  const Solver solver = each_solver();
  const double e = GENERATE(0.3, 0.9);
  const auto straight = rebounds(collisions(solver, Partner::wall, e)),
             oblique = rebounds(collisions(solver, Partner::wall, e, 2.0 * speed));
  CHECK(oblique.first == Approx(straight.first).margin(1e-4));
  CHECK(oblique.second == Approx(straight.second).margin(1e-4));
}

TEST_CASE("Friction of a collision is Coulomb's whatever its phase", "[restitution]") {
  // Sliding throughout: the slip loses mu (1 + e) times the approach, but for what the closing substep pulls.
  Scene scene = collisions(solver_of(Method::dem), Partner::wall, 0.5, 3.0);
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.3;
  Simulation simulation(scene, on_cpu);
  simulation.advance(60);
  for (const GrainState& grain : simulation.grains())
    CHECK(3.0 - static_cast<double>(grain.velocity.x) ==
          Approx(0.3 * (speed + static_cast<double>(grain.velocity.z))).epsilon(5e-3));
}

TEST_CASE("Pairs of materials have the geometric mean of their restitutions", "[restitution]") {
  Material given{.name = "a"}, other{.name = "b"};
  given.restitution = 0.4;
  CHECK(*restitution_of(given, other) == 0.4);
  CHECK(*restitution_of(other, given) == 0.4);
  CHECK_FALSE(restitution_of(other, other).has_value());
  other.restitution = 0.9;
  CHECK(*restitution_of(given, other) == Approx(0.6));
  Domain domain;
  CHECK(*restitution_of(given, domain) == 0.4);
  domain.restitution = 0.2;
  CHECK(*restitution_of(given, domain) == 0.2);
}

TEST_CASE("A bed of grains with restitution comes to rest", "[restitution]") {
  const Method method = GENERATE(Method::dem, Method::vts, Method::sp);
  const double e = GENERATE(0.3, 0.9);
  Scene scene = box_of(150);
  scene.dt = 1.0 / 240;
  scene.solver = default_solver(method);
  scene.solver.substeps = method == Method::dem ? 8 : 2;
  scene.materials[0].restitution = e;
  Simulation simulation(scene, on_cpu);
  simulation.advance(360);
  CAPTURE(static_cast<int>(method), e);
  CHECK(simulation.measure().speed_max < 5e-3);
}

TEST_CASE("Passes agree with their references where restitution is given", "[device][lockstep][restitution]") {
  // sp has the same contacts as vts.
  Scene scene = with(jumble_with_bodies(300), solver_of(GENERATE(Method::dem, Method::vts)));
  scene.materials[0].restitution = 0.3;
  scene.domain.restitution = 0.8;
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(3));
}

TEST_CASE("Vectorised passes have the bits of their references where restitution is given", "[lockstep][restitution]") {
  // Of two materials one gives it, and one adheres.
  Scene scene = with(jumble(150), each_solver());
  scene.materials[0].restitution = 0.6;
  Simulation simulation(scene, {.device = "cpu", .verify = true});
  REQUIRE_NOTHROW(simulation.advance(3));
}

TEST_CASE("Restitution is refused where it has no meaning", "[restitution][scene]") {
  const std::string p2 = "[solver]\nmethod = \"p2\"\n", pbd = "[solver]\nmethod = \"pbd\"\n",
                    sand = "[[material]]\nname = \"sand\"\n";
  const auto fails = [](const std::string& text, const std::string& what) {
    const Marked scene(text);
    CAPTURE(scene.error);
    CHECK(scene.error.starts_with(scene.place));
    CHECK(scene.error.find(what) != std::string::npos);
  };
  fails(p2 + sand + "restitution = @0.5\n", "has no meaning with method = \"p2\"");
  fails(pbd + sand + "restitution = @0.5\n", "whose contacts do not bounce: dem, vts and sp have");
  fails(pbd + "[domain]\nrestitution = @0.5\n", "domain.restitution has no meaning with method = \"pbd\"");
  fails(sand + "damping = 3\nrestitution = @0.5\n", "has no meaning beside damping");
  fails(sand + "restitution = @0\n", "must be");
  fails(sand + "restitution = @1.1\n", "must be");
  fails("[solver]\noverlap = 0.01\naccuracy = @\"forces\"\n", "has no meaning beside overlap");
  fails("[solver]\nsubsteps = 3\naccuracy = @\"forces\"\n", "has no meaning beside a number of substeps");
}

TEST_CASE("Restitution and accuracy decide the number of substeps", "[restitution][substeps]") {
  Scene scene = box_of(2000);
  scene.solver = default_solver(Method::dem);
  scene.solver.overlap = 0.002;  // which decides, not the speed
  const int plain = choose_substeps(scene).substeps;
  scene.materials[0].restitution = 0.8;
  CHECK(choose_substeps(scene).substeps == plain);
  scene.materials[0].restitution = 0.1;
  const double more = std::sqrt(dem_kappa / rebound_of(0.1).kappa);
  CHECK(choose_substeps(scene).substeps == Approx((plain - 0.5) * more).margin(0.5 * more + 1.0));  // both rounded up
  const Scene forces = parse_scene("[solver]\naccuracy = \"forces\"\n", "s"), fast = parse_scene("", "s");
  CHECK(forces.solver.overlap == 0.004);
  CHECK(parse_scene("[solver]\naccuracy = \"fast\"\n", "s").solver == fast.solver);
}

TEST_CASE("A warning says how many substeps restitution takes", "[restitution][advice]") {
  // 4 m/s from a drop of 0.8 m go 0.45 r in a substep, and 1.3 times as far into the floor.
  Scene scene = scene_of(1.0 / 240, 4, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 4;
  add_points(scene, r, {{0.0, 0.0, 0.8 + r}});
  const auto says = [&] {
    for (const std::string& warning : advise(scene))
      if (warning.find("less than the restitution: set solver.substeps to 5") != std::string::npos)
        return true;
    return false;
  };
  CHECK_FALSE(says());
  scene.materials[0].restitution = 0.9;
  CHECK(says());
  scene.materials[0].restitution = 0.2;
  CHECK_FALSE(says());
}

TEST_CASE("A scene says how far its forces are from those of stiff contacts", "[restitution][substeps]") {
  CHECK(convergence_at(0.015).force == Approx(0.34));
  CHECK(convergence_at(0.0115).force == Approx(0.28));
  CHECK(convergence_at(1e-5).force == 0.0);
  CHECK(convergence_at(1.0).run_out == Approx(0.121));
  Scene scene = box_of(2000);
  scene.solver = default_solver(Method::dem);
  scene.solver.overlap = 0.015;
  const std::string said = convergence_of(scene).value_or("");
  CAPTURE(said);
  CHECK(said.find("the force of grains on a blade is some") != std::string::npos);
  scene.solver.overlap = 0.001;
  CHECK_FALSE(convergence_of(scene).has_value());
  scene.solver = default_solver(Method::vts);
  CHECK_FALSE(convergence_of(scene).has_value());
}
