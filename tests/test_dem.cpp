// Explicit dynamics, and what every contact with a memory must keep.
#include "simulate.h"
#include <cmath>
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double g = 9.81;

Scene dem_scene(double dt, int substeps) {
  Scene scene = scene_of(dt, substeps, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = substeps;
  return scene;
}

double mass_of(double radius, double density = 1600.0) {
  return density * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

Slide slide(double degrees, double mu_s, double mu_k) {
  return slide_down(dem_scene(1.0 / 240, 5), degrees, mu_s, mu_k);
}

// Speed of a grain of static friction 0.6 and kinetic friction 0.3 on a plane that is tilted slowly, so that the spring
// is not loaded with a jolt.
double speed_on_tilted_plane(double degrees) {
  Scene scene = dem_scene(1.0 / 240, 5);
  scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
  scene.domain.friction_static = 0.6;
  scene.domain.friction_kinetic = 0.3;
  add_points(scene, 0.05, {{0.0, 0.0, 0.05}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  for (int i = 1; i <= 100; ++i) {
    const double slope = degrees * i / 100.0 * std::numbers::pi / 180.0;
    auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
    settings[0].gravity = vec3(g * std::sin(slope), 0.0, -g * std::cos(slope));
    write_field(simulation.executor(), FieldId::settings, settings);
    simulation.advance(10);
  }
  simulation.advance(120);
  return simulation.grains()[0].velocity.x;
}

// Grains that settle in a box.
Scene bed(unsigned grains, double friction) {
  Scene scene = dem_scene(1.0 / 240, 6);
  scene.grains = box_of(grains).grains;
  scene.domain = box_of(grains).domain;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = friction;
  return scene;
}

}  // namespace

TEST_CASE("dem: a grain on an incline follows Coulomb's law", "[dem]") {
  for (const double degrees : {5.0, 20.0, 26.0}) {  // atan 0.5 = 26.57
    CAPTURE(degrees);
    CHECK(std::abs(slide(degrees, 0.5, 0.5).speed) < 1e-5);
  }
  for (const double degrees : {27.0, 30.0, 45.0}) {
    CAPTURE(degrees);
    CHECK(slide(degrees, 0.5, 0.5).acceleration == Approx(sliding(degrees, 0.5)).epsilon(5e-4));
  }
  CHECK(std::abs(speed_on_tilted_plane(30.0)) < 1e-5);  // atan 0.6 = 30.96
  CHECK(speed_on_tilted_plane(32.0) > 0.5);
  CHECK(slide(35.0, 0.6, 0.3).acceleration == Approx(sliding(35.0, 0.3)).epsilon(5e-4));
}

TEST_CASE("dem: a grain at rest overlaps the floor as its spring says", "[dem]") {
  const double r = 0.01;
  Scene scene = dem_scene(1.0 / 240, 4);
  add_points(scene, r, {{0.0, 0.0, r}});
  SECTION("tied to the substep") {
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    const double h = scene.dt / 4;
    CHECK(r - simulation.grains()[0].position.z == Approx(g * h * h / dem_kappa).epsilon(1e-3));
  }
  SECTION("of the material") {
    scene.solver.stiffness = Stiffness::material;
    scene.materials[0].stiffness = 500.0;
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    CHECK(r - simulation.grains()[0].position.z == Approx(mass_of(r) * g / 500.0).epsilon(1e-3));
  }
}

TEST_CASE("dem: impacts lose energy, whatever the masses, and keep momentum", "[dem]") {
  const double radius = GENERATE(0.05, 0.02, 0.005);
  const double speed = GENERATE(0.1, 3.0);
  CAPTURE(radius, speed);
  Scene scene = dem_scene(1.0 / 240, 8);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  add_points(scene, 0.05, {{-0.052, 0.0, 0.0}}, {speed, 0.0, 0.0});
  add_points(scene, radius, {{radius, 0.0, 0.0}});
  Simulation simulation(scene, on_cpu);
  const Measure before = simulation.measure();
  simulation.advance(240);
  const Measure after = simulation.measure();
  CHECK(glm::length(after.momentum - before.momentum) < 1e-5 * glm::length(before.momentum));
  const auto grains = simulation.grains();
  const double restitution = (grains[1].velocity.x - grains[0].velocity.x) / speed;
  CHECK(restitution > 0.5);
  CHECK(restitution < 0.8);
}

TEST_CASE("dem: the time of contact and the restitution are those of the material's spring and damper", "[dem]") {
  const double r = 0.01, k = 2000.0, m = mass_of(r), zeta = 0.2;
  Scene scene = dem_scene(1.0 / 1000, 50);
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.solver.stiffness = Stiffness::material;
  scene.materials[0].stiffness = k;
  scene.materials[0].damping = 2.0 * zeta * std::sqrt(k * m);
  add_points(scene, r, {{0.0, 0.0, r + 1e-6}}, {0.0, 0.0, -1.0});
  Simulation simulation(scene, on_cpu);
  simulation.advance(60);
  // Pull is cut off, so the contact ends where the force is zero (Schwager and Poeschel 2007).
  const double wd = std::sqrt(1.0 - zeta * zeta), end = std::atan2(2.0 * zeta * wd, 2.0 * zeta * zeta - 1.0) / wd;
  const double restitution = std::exp(-zeta * end) * (zeta / wd * std::sin(wd * end) - std::cos(wd * end));
  CHECK(simulation.grains()[0].velocity.z == Approx(restitution).epsilon(0.005));
}

TEST_CASE("dem: no speed carries a grain through a wall", "[dem]") {
  Scene scene = dem_scene(1.0 / 60, 1);
  scene.domain.min = {-0.2, -0.2, 0.0};
  scene.domain.max = {0.2, 0.2, 0.4};
  const double speed = GENERATE(5.0, 50.0, 500.0, 5000.0);
  CAPTURE(speed);
  add_points(scene, 0.01, {{0.0, 0.0, 0.2}, {0.1, 0.1, 0.1}, {-0.1, 0.0, 0.3}}, {0.6 * speed, 0.5 * speed, -speed});
  Simulation simulation(scene, on_cpu);
  double deepest = -1.0;
  for (int i = 0; i < 60; ++i) {
    simulation.advance(1);
    for (const GrainState& grain : simulation.grains())
      for (int a = 0; a < 3; ++a)
        deepest = std::max({deepest, scene.domain.min[a] - grain.position[a], grain.position[a] - scene.domain.max[a]});
  }
  CHECK(deepest < 0.0);  // half a radius of overlap leaves the centre inside
  CHECK(simulation.fast() > 0);
}

TEST_CASE("dem: fixed grains give nothing back", "[dem]") {
  // A grain falls into the hollow of four; it must not come up higher than it started, wherever in a substep it hits.
  const double r = 0.025, apart = GENERATE(0.03, 0.035, 0.04);
  const double height = GENERATE(0.2, 0.203, 0.211, 0.217);
  CAPTURE(apart, height);
  Scene scene = dem_scene(1.0 / 240, 4);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.0;
  add_points(scene, r, {{-apart, 0.0, 0.0}, {apart, 0.0, 0.0}, {0.0, -apart, 0.0}, {0.0, apart, 0.0}});
  scene.grains.back().fixed = true;
  add_points(scene, r, {{0.0, 0.0, height}});
  Simulation simulation(scene, on_cpu);
  double top = -1.0;
  bool hit = false;
  for (int i = 0; i < 240; ++i) {
    simulation.advance(1);
    const GrainState grain = simulation.grains()[4];
    hit = hit || grain.velocity.z > 0.0;
    if (hit)
      top = std::max(top, static_cast<double>(grain.position.z));
  }
  CHECK(hit);
  CHECK(top < height);
}

TEST_CASE("dem: a large light grain rests among small ones", "[dem]") {
  Scene scene = dem_scene(1.0 / 240, 4);
  const double r = 0.025, edge = 0.5, ball = 5 * r;
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {edge, edge, 1.0};
  scene.materials.push_back({.name = "hollow", .density = 1600.0 / 125});  // as heavy as a small grain
  add_points(scene, ball, {{edge / 2, edge / 2, ball}});
  scene.grains[0].material = 1;
  GrainGroup group;
  group.radius_min = group.radius_max = r;
  group.shape = BoxFill{scene.domain.min, {edge, edge, 0.8}};
  scene.grains.push_back(group);
  Simulation simulation(scene, on_cpu);
  for (int i = 0; i < 4; ++i) {
    simulation.advance(120);
    CHECK(simulation.measure().speed_max < 5.0);  // they fall 0.4 m
  }
  CHECK(simulation.measure().speed_max < 0.02);
}

TEST_CASE("The measure of fused detection is of the state it is taken in", "[dem]") {
  Scene scene = bed(300, 0.5);
  scene.solver.contact_memory = false;
  scene.solver.detection = Detection::one_loop;
  Simulation simulation(scene, on_cpu), other(scene, on_cpu);
  simulation.measure();
  simulation.advance(120);
  other.advance(120);
  CHECK(simulation.measure().contacts_mean == other.measure().contacts_mean);
}

TEST_CASE("dem: grains settle to a bed that rests, looser with friction", "[dem]") {
  auto height_and_rest = [](double friction) {
    Simulation simulation(bed(1000, friction), on_cpu);
    simulation.advance(480);
    const Measure m = simulation.measure();
    CHECK(m.penetration_mean < 0.015);
    CHECK(m.kinetic_energy / m.grains < 1e-5 * mass_of(0.0045) * g * 0.0045);
    double sum = 0.0;
    for (const GrainState& grain : simulation.grains())
      sum += grain.position.z;
    return sum / m.grains;
  };
  const double smooth = height_and_rest(0.0), rough = height_and_rest(0.6);
  CHECK(rough > 1.05 * smooth);
}

TEST_CASE("Contacts remember over list builds", "[dem]") {
  // Lists made anew in every substep hold the same contacts in another order, so a run differs by rounding only;
  // without memory the bed settles elsewhere.
  Scene scene = bed(400, 0.5);
  scene.grains[0].velocity_random = 0.0;
  scene.domain.gravity = {2.0, 0.0, -9.0};
  Simulation kept(scene, on_cpu);
  scene.solver.detection = Detection::lists_anew;
  Simulation anew(scene, on_cpu);
  scene.solver.contact_memory = false;
  Simulation forgetful(scene, on_cpu);
  // Short enough that rounding does not grow to the size of a grain.
  const auto distance = [](Simulation& a, Simulation& b) {
    const auto p = a.grains(), q = b.grains();
    double most = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i)
      most = std::max(most, static_cast<double>(glm::length(p[i].position - q[i].position)));
    return most / 0.005;
  };
  for (Simulation* simulation : {&kept, &anew, &forgetful})
    simulation->advance(12);
  CHECK(anew.rebuilds() > 3 * kept.rebuilds());
  CHECK(distance(kept, anew) < 1e-3);
  CHECK(distance(kept, forgetful) > 1e-2);
}

TEST_CASE("Linked neighbour lists hold the same contacts", "[dem]") {
  Scene scene = bed(400, 0.5);
  Simulation sorted(scene, on_cpu);
  scene.solver.neighbours = Neighbours::linked;
  Simulation linked(scene, on_cpu);
  sorted.advance(12);
  linked.advance(12);
  const auto p = sorted.grains(), q = linked.grains();
  for (std::size_t i = 0; i < p.size(); ++i)
    CHECK(glm::length(p[i].position - q[i].position) < 1e-3f * 0.005f);
  CHECK(linked.measure().contacts_mean == Approx(sorted.measure().contacts_mean));
}

TEST_CASE("Fused detection does what lists do", "[dem]") {
  Scene scene = bed(400, 0.5);
  scene.solver.contact_memory = false;
  scene.solver.detection = Detection::lists_anew;
  Simulation lists(scene, on_cpu);
  scene.solver.detection = Detection::one_loop;
  Simulation one(scene, on_cpu);
  scene.solver.detection = Detection::two_loops;
  Simulation two(scene, on_cpu);
  for (Simulation* simulation : {&lists, &one, &two})
    simulation->advance(60);
  CHECK(one.state_hash() == lists.state_hash());
  CHECK(two.state_hash() == lists.state_hash());
}

TEST_CASE("dem: adhesion carries what its force allows and no more", "[dem]") {
  // A grain hangs under one that has no inverse mass.
  const double r = 0.01, weight = mass_of(r) * g, area = adhesion_area * std::numbers::pi * r * r;
  const auto hangs = [&](double share) {
    Scene scene = dem_scene(1.0 / 240, 6);
    scene.materials[0].adhesion = share * weight / area;
    add_points(scene, r, {{0.0, 0.0, 1.0 + 2.0 * r - 1e-6}, {0.0, 0.0, 1.0}});
    Simulation simulation(scene, on_cpu);
    auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 2);
    grains[0].velocity.w = 0.0f;
    write_field(simulation.executor(), FieldId::grains, grains);
    simulation.advance(240);
    return simulation.grains()[1].position.z > 0.99;
  };
  // The weight is put on at once.
  CHECK(hangs(1.15));
  CHECK_FALSE(hangs(0.9));
  CHECK_FALSE(hangs(0.0));
}

TEST_CASE("dem: lists hold all that adhesion reaches", "[dem]") {
  // Two sticky grains that start a little further apart than the lists look pull each other from as far as if lists
  // were made anew in every substep.
  Scene scene = dem_scene(1.0 / 240, 6);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials[0].adhesion = 2e5;
  const double r = 0.01, x = r + 0.5 * (margin_rest + 0.01) * r;
  add_points(scene, r, {{-x, 0.0, 0.0}}, {0.1, 0.0, 0.0});
  add_points(scene, r, {{x, 0.0, 0.0}}, {-0.1, 0.0, 0.0});
  Simulation kept(scene, on_cpu);
  scene.solver.detection = Detection::lists_anew;
  Simulation anew(scene, on_cpu);
  bool pulled = false;
  for (int i = 0; i < 8; ++i) {
    kept.advance(1);
    anew.advance(1);
    pulled = pulled || kept.grains()[0].velocity.x > 0.11f;
    CHECK(kept.state_hash() == anew.state_hash());
  }
  CHECK(pulled);
}

TEST_CASE("dem agrees with its reference where adhesion pulls", "[device][lockstep][dem]") {
  Scene scene = with(jumble(1000), default_solver(Method::dem));
  scene.materials[0].adhesion = 2e4;
  scene.materials[1].adhesion = 500.0;
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(6));
  CHECK(complaints(simulation) == std::vector<std::string>{});
}
