// Contacts of dem by Hertz and Mindlin (solver.contact = "hertz").
#include "engine/core/setup.h"
#include "engine/scene/hertz.h"
#include "engine/scene/text.h"
#include "lanes.h"
#include "scratch.h"
#include "spinning.h"
#include "wrong.h"
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double hertz_radius = 0.01, hertz_young = 2e7, hertz_poisson = 0.25;  // m, Pa

Solver hertz_solver() {
  Solver solver = default_solver(Method::dem);
  solver.contact = ContactLaw::hertz;
  solver.stiffness = Stiffness::material;
  solver.substeps = 1;
  return solver;
}

// Any scene with Hertzian contacts, soft enough for its substeps, and without adhesion.
Scene with_hertz(Scene scene, bool rotation = true) {
  Solver solver = hertz_solver();
  solver.rotation = rotation;
  scene = with(std::move(scene), solver);
  scene.domain.adhesion.reset();
  double young = 2e5;
  for (Material& m : scene.materials) {
    m.adhesion = 0.0;
    m.young_modulus = young;
    m.poisson_ratio = hertz_poisson;
    young *= 1.7;
  }
  return scene;
}

enum class HertzPartner { grain, wall, body };

// E* [Pa], R* [m] and m_eff [kg] of two grains of hertz_radius, or of one on a rigid wall.
struct HertzContact {
  double modulus, radius, mass;

  explicit HertzContact(HertzPartner partner)
      : modulus(hertz_young / (1.0 - hertz_poisson * hertz_poisson)), radius(hertz_radius),
        mass(mass_of(hertz_radius)) {
    if (partner != HertzPartner::wall)
      modulus *= 0.5;
    if (partner == HertzPartner::grain)
      radius *= 0.5, mass *= 0.5;
  }
  double deepest(double speed) const { return hertz_impact_overlap(modulus, radius, mass, speed); }
  double duration(double speed) const { return 2.9432 * deepest(speed) / speed; }  // s (Johnson 1985, 11.24)
  double force(double speed) const {                                               // N
    return 4.0 / 3.0 * modulus * std::sqrt(radius * deepest(speed)) * deepest(speed);
  }
};

// A grain that is about to meet its partner at `speed`, with a step, which is a substep, so many to a collision.
Scene impact(HertzPartner partner, double speed, double substeps, double restitution, glm::dvec3 across = {},
             glm::dvec3 spin = {}) {
  const HertzContact contact(partner);
  Scene scene = scene_of(contact.duration(speed) / substeps, 1, 1);
  scene.solver = hertz_solver();
  scene.domain.gravity = {};
  scene.domain.axis = {Axis::open, Axis::open, partner == HertzPartner::wall ? Axis::wall : Axis::open};
  Material& material = scene.materials[0];
  material.young_modulus = hertz_young;
  material.poisson_ratio = hertz_poisson;
  material.restitution = restitution;
  const double gap = 0.37 * speed * scene.dt;
  add_points(scene, hertz_radius, {{0.0, 0.0, hertz_radius + gap}}, glm::dvec3(0.0, 0.0, -speed) + across);
  scene.grains[0].spin = spin;
  if (partner == HertzPartner::grain)
    add_points(scene, hertz_radius, {{0.0, 0.0, -hertz_radius}});
  if (partner == HertzPartner::body) {
    scene.bodies.push_back(body_of("table", {{BoxPart{{2.0, 2.0, 0.2}}}}, {0.0, 0.0, -0.1}));
    scene.bodies[0].material = 0;
  }
  return scene;
}

double parting(Simulation& simulation) {
  const auto grains = simulation.grains();
  return grains[0].velocity.z - (grains.size() > 1 ? grains[1].velocity.z : 0.0f);
}

// J, of translation and rotation.
double kinetic_energy(Simulation& simulation) {
  double energy = 0.0;
  for (const SpinningGrain& grain : spinning_grains(simulation))
    energy += 0.5 * grain.mass * glm::dot(grain.velocity, grain.velocity) +
              0.2 * grain.mass * glm::dot(grain.spin, grain.spin);
  return energy;
}

const std::string hertz_head = "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 1]\n[[material]]\nname = \"sand\"\n";
const std::string hertz_on = "[solver]\ncontact = \"hertz\"\n", hertz_modulus = "young_modulus = 1e7\n";

}  // namespace

TEST_CASE("Hertz: an impact lasts as long and presses as hard as the theory says", "[hertz]") {
  const HertzPartner partner = GENERATE(HertzPartner::grain, HertzPartner::wall, HertzPartner::body);
  const double speed = GENERATE(0.01, 1.0);
  CAPTURE(static_cast<int>(partner), speed);
  const HertzContact contact(partner);
  constexpr double substeps = 100.0;
  Simulation simulation(impact(partner, speed, substeps, 1.0), on_cpu);
  const double h = simulation.scene().dt;
  double before = -speed, force = 0.0, overlap = 0.0, impulse = 0.0, moment = 0.0, second = 0.0;
  for (int k = 1; k <= 120; ++k) {
    simulation.advance(1);
    const auto grains = simulation.grains();
    const double now = parting(simulation), pushed = contact.mass * (now - before) / h, time = k * h;
    const double below = grains.size() > 1 ? grains[1].position.z + hertz_radius : 0.0;
    before = now;
    force = std::max(force, pushed);
    overlap = std::max(overlap, hertz_radius - (grains[0].position.z - below));
    impulse += pushed;
    moment += pushed * time;
    second += pushed * time * time;
  }
  CHECK(parting(simulation) == Approx(speed).epsilon(1e-3));
  CHECK(overlap == Approx(contact.deepest(speed)).epsilon(2e-3));
  CHECK(force == Approx(contact.force(speed)).epsilon(2e-3));
  // The standard deviation of the force over time is 0.1941 of the duration, by numerical quadrature of Hertz's impact.
  CHECK(std::sqrt(second / impulse - std::pow(moment / impulse, 2)) ==
        Approx(0.1941 * contact.duration(speed)).epsilon(5e-3));
}

TEST_CASE("Hertz: the restitution is what is asked for, at any speed", "[hertz]") {
  const HertzPartner partner = GENERATE(HertzPartner::grain, HertzPartner::wall, HertzPartner::body);
  const double restitution = GENERATE(0.1, 0.3, 0.5, 0.7, 0.9, 0.98), speed = GENERATE(0.01, 1.0);
  CAPTURE(static_cast<int>(partner), restitution, speed);
  Simulation simulation(impact(partner, speed, 100.0, restitution), on_cpu);
  simulation.advance(1200);
  CHECK(parting(simulation) / speed == Approx(restitution).margin(5e-3));
}

TEST_CASE("Hertz: the damping ratio is the inverse of the restitution that it gives", "[hertz]") {
  CHECK(hertz_ratio_of(1.0) == 0.0);
  CHECK(hertz_restitution_of(1.0) == Approx(std::exp(-2.0)));
  for (double e = 0.01; e < 1.0; e += 0.03)
    CHECK(hertz_restitution_of(hertz_ratio_of(e)) == Approx(e).epsilon(1e-9));
}

TEST_CASE("Hertz: an oblique elastic impact yields no energy, and one that slides follows Coulomb's law", "[hertz]") {
  const HertzPartner partner = GENERATE(HertzPartner::grain, HertzPartner::wall, HertzPartner::body);
  const double slip = GENERATE(0.02, 0.1, 0.3, 0.6, 1.0, 2.0, 6.0), spin = GENERATE(-1.0, 0.0, 1.0);
  CAPTURE(static_cast<int>(partner), slip, spin);
  constexpr double speed = 1.0, mu = 0.4;
  Scene scene = impact(partner, speed, 60.0, 1.0, {slip, 0.0, 0.0}, {0.0, 30.0 * spin * slip, 10.0 * spin});
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = mu;
  Simulation simulation(scene, on_cpu);
  const double before = kinetic_energy(simulation);
  simulation.advance(120);
  const double after = kinetic_energy(simulation);
  CHECK(after < before * (1.0 + 2e-4));
  CHECK(after > 0.3 * before);
  if (slip > 5.0 && partner != HertzPartner::grain)  // whose normal turns while they pass
    CHECK(simulation.grains()[0].velocity.x == Approx(slip - 2.0 * mu * speed).epsilon(1e-3));
}

// The surface of a sphere that sticks is a mass of 2/7 on Mindlin's spring: it swings 1.75 half periods of the impact,
// and leaves in the direction in which it came (Maw, Barber and Fawcett 1976); with dem's linear springs it returns.
TEST_CASE("Hertz: the surface of a ball that sticks swings forth and back", "[hertz]") {
  constexpr double speed = 1.0, slip = 0.02;
  Scene scene = impact(HertzPartner::wall, speed, 200.0, 1.0, {slip, 0.0, 0.0});
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 2.0;
  Simulation simulation(scene, on_cpu);
  simulation.advance(400);
  const SpinningGrain after = spinning_grains(simulation)[0];
  // Friction acts at the surface: what it changes of the spin is 5/2 of what it changes of the velocity.
  CHECK(after.spin.y == Approx(2.5 * (slip - after.velocity.x)).epsilon(1e-3));
  const double surface = after.velocity.x - after.spin.y;
  CHECK(surface > 0.4 * slip);
  CHECK(surface < slip);
}

TEST_CASE("Hertz: a free cloud of grains keeps its momentum and angular momentum", "[hertz][rotation]") {
  const double rolling = GENERATE(0.0, 0.3);
  Simulation simulation(with_hertz(free_cloud(default_solver(Method::dem), rolling)), on_cpu);
  set_spins(simulation, {1.0, -0.5, 2.0});
  const MomentaWithSpins before = momenta_with_spins(spinning_grains(simulation));
  const double energy = kinetic_energy(simulation);
  simulation.advance(30);
  const MomentaWithSpins after = momenta_with_spins(spinning_grains(simulation));
  CHECK(kinetic_energy(simulation) < 0.9 * energy);  // they have met
  CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
  CHECK(glm::length(after.angular - before.angular) < 1e-6 * before.angular_size);
}

TEST_CASE("Hertz: a layer of grains at rest overlaps the floor as much as their weight asks for, and sleeps",
          "[hertz]") {
  Scene scene = scene_of(1e-3, 0, 1);
  scene.solver = hertz_solver();
  scene.solver.substeps = 0;
  scene.materials[0].young_modulus = 2e5;
  scene.materials[0].poisson_ratio = hertz_poisson;
  scene.materials[0].rolling_friction = 0.1;
  std::vector<glm::dvec3> points;
  for (int k = 0; k < 25; ++k)
    points.emplace_back(0.03 * (k % 5), 0.03 * (k / 5), hertz_radius);
  add_points(scene, hertz_radius, points);
  Simulation simulation(scene, on_cpu);
  simulation.advance(1500);
  const double modulus = 2e5 / (1.0 - hertz_poisson * hertz_poisson);
  const double expected = hertz_overlap(modulus, hertz_radius, mass_of(hertz_radius) * g);
  CHECK(expected > 1e-5);
  for (const GrainState& grain : simulation.grains()) {
    CHECK(hertz_radius - grain.position.z == Approx(expected).epsilon(2e-3));
    CHECK(glm::length(grain.velocity) == 0.0f);
  }
}

TEST_CASE("Hertz: a bed comes to rest with the substeps that are chosen", "[hertz]") {
  Scene scene = rotating_scene(hertz_solver());
  scene.solver = hertz_solver();
  scene.solver.substeps = 0;
  scene.solver.sleep = false;
  scene.dt = 2e-3;
  scene.materials[0].young_modulus = 1e6;
  scene.materials[0].restitution = GENERATE(0.3, 0.7);
  scene.materials[0].rolling_friction = 0.05;
  scene.domain.gravity = {0.0, 0.0, -g};
  add_bed(scene, 0.06, 0.3, hertz_radius, 0.15);
  Simulation simulation(scene, on_cpu);
  simulation.advance(750);
  CHECK(fastest_of(simulation) < 3e-3);
}

TEST_CASE("Hertz: the number of substeps follows from the speed, or from the weight", "[hertz][substeps]") {
  Scene scene = scene_of(1e-3, 0, 1);
  scene.solver = hertz_solver();
  scene.solver.substeps = 0;
  scene.domain.gravity = {};
  scene.materials[0].young_modulus = hertz_young;
  scene.materials[0].poisson_ratio = hertz_poisson;
  scene.materials[0].restitution = 0.9;
  add_points(scene, hertz_radius, {{0.0, 0.0, 0.1}}, {0.0, 0.0, -1.0});
  const SubstepChoice slow = choose_substeps(scene);
  CHECK(contains(slow.why, "Hertz's contact at that speed decided"));
  // 20 substeps of an impact on the floor, or on another grain of the kind, the shorter one.
  const double shorter =
      std::min(HertzContact(HertzPartner::wall).duration(1.0), HertzContact(HertzPartner::grain).duration(1.0));
  CHECK(slow.substeps == Approx(20.0 * scene.dt / shorter).margin(1.01));
  scene.grains[0].velocity.z = -32.0;
  CHECK(choose_substeps(scene).substeps == Approx(2.0 * slow.substeps).epsilon(0.05));  // v^(1/5)
  // What collides with it parts with the restitution.
  scene.grains[0].velocity.z = -1.0;
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.12);
  CHECK(parting(simulation) == Approx(0.9).margin(0.02));

  scene.solver.substeps = slow.substeps / 3;
  bool warned = false;
  for (const std::string& advice : advise(scene))
    warned = warned || contains(advice, "Hertz's contacts last less than 20 substeps");
  CHECK(warned);
  scene.solver.substeps = 0;
  scene.materials[0].young_modulus = 1e4;
  bool soft = false;
  for (const std::string& advice : advise(scene))
    soft = soft || contains(advice, "the young_modulus of material");
  CHECK(soft);
}

TEST_CASE("Hertz: contacts stay stable with substeps that are too long", "[hertz]") {
  Scene scene = with_hertz(box_of(300));
  scene.materials[0].young_modulus = 1e11;
  scene.materials[0].rolling_friction = 0.1;
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  CHECK(fastest_of(simulation) < 0.02);
}

TEST_CASE("Hertz: what a scene says of it is read, written and refused with its place", "[hertz][scene]") {
  const Scene scene = parse_scene(hertz_on + hertz_head + hertz_modulus + "poisson_ratio = 0.3\n", "s.toml");
  CHECK(scene.solver.contact == ContactLaw::hertz);
  CHECK(scene.solver.stiffness == Stiffness::material);
  CHECK(scene.materials[0].young_modulus == 1e7);
  const Scene again = parse_scene(to_toml(scene), "again.toml");
  CHECK(again.solver == scene.solver);
  CHECK(again.materials[0].young_modulus == 1e7);
  CHECK(again.materials[0].poisson_ratio == 0.3);
  CHECK_FALSE(contains(to_toml(parse_scene(hertz_head, "s.toml")), "contact = "));

  const std::vector<std::array<std::string, 2>> wrong{
      {hertz_on + hertz_head, "s.toml:6:1: material.sand lacks the key young_modulus"},
      {hertz_head + hertz_modulus, "s.toml:6:17: material.sand.young_modulus has no meaning here"},
      {hertz_on + hertz_head + hertz_modulus + "stiffness = 1e5\n",
       "s.toml:9:13: material.sand.stiffness has no meaning with solver.contact = \"hertz\""},
      {hertz_on + hertz_head + hertz_modulus + "adhesion = 10\n", "s.toml:9:12: material.sand.adhesion is refused"},
      {hertz_on + "[[material]]\npreset = \"wet_sand\"\n" + hertz_modulus, "material.wet_sand.preset is refused"},
      {hertz_on + "[domain]\nadhesion = 10\n[[material]]\nname = \"a\"\n" + hertz_modulus,
       "s.toml:4:12: domain.adhesion is refused"},
      {hertz_on + "stiffness = \"numerical\"\n" + hertz_head + hertz_modulus,
       "s.toml:3:13: solver.stiffness = \"numerical\" has no meaning with contact = \"hertz\""},
      {"[solver]\nmethod = \"vts\"\ncontact = \"hertz\"\n", "s.toml:3:11: solver.contact has no meaning with method"},
      {"[solver]\ncontact = \"jkr\"\n", "must be one of linear, hertz"},
      {hertz_on + hertz_head + "young_modulus = 1\n", "must be"},
      {hertz_on + hertz_head + hertz_modulus + "poisson_ratio = 0.6\n", "must be"}};
  for (const auto& [text, says] : wrong) {
    CAPTURE(text, says);
    CHECK_THAT(error_of([&] { parse_scene(text, "s.toml"); }), Catch::Contains(says));
  }

  Scene made = with_hertz(box_of(1));
  made.materials[0].young_modulus.reset();
  CHECK_THROWS_WITH(Simulation(made, on_cpu), Catch::Contains("lacks the key young_modulus"));
  made = with_hertz(box_of(1));
  made.solver.stiffness = Stiffness::numerical;
  CHECK_THROWS_WITH(Simulation(made, on_cpu), Catch::Contains("set solver.stiffness to \"material\""));
  made = with_hertz(box_of(1));
  made.domain.adhesion = 3.0;
  CHECK_THROWS_WITH(Simulation(made, on_cpu), Catch::Contains("domain.adhesion"));
}

TEST_CASE("Hertz: a pair of materials has the moduli of both, and a wall is rigid", "[hertz]") {
  const Material steel{.name = "steel", .young_modulus = 2e11, .poisson_ratio = 0.3},
      glass{.name = "glass", .young_modulus = 7e10, .poisson_ratio = 0.2};
  const HertzPair pair = hertz_pair_of(steel, glass, 0.5), wall = hertz_wall_of(steel, {});
  CHECK(1.0 / pair.modulus == Approx((1.0 - 0.09) / 2e11 + (1.0 - 0.04) / 7e10));
  const double shear_steel = 2e11 / 2.6, shear_glass = 7e10 / 2.4;
  CHECK(pair.tangential * pair.modulus == Approx(4.0 / (1.7 / shear_steel + 1.8 / shear_glass)));
  CHECK(hertz_restitution_of(pair.ratio) == Approx(0.5));
  CHECK(wall.modulus == Approx(2e11 / (1.0 - 0.09)));
  CHECK(wall.tangential == Approx(2.0 * (1.0 - 0.3) / (2.0 - 0.3)));  // Mindlin 1949
  CHECK(wall.ratio == Approx(static_cast<double>(dem_zeta)));
  // The contact forces of a bed that is damped more are stable with a softer contact.
  CHECK(hertz_pair_of(steel, steel, 0.1).kappa < hertz_pair_of(steel, steel, 0.9).kappa);
}

TEST_CASE("Hertz: vectorised passes agree with their references", "[hertz][lockstep]") {
  const int lanes = each_lanes();
  const bool rotation = GENERATE(false, true), rolls = GENERATE(false, true);
  CAPTURE(lanes, rotation, rolls);
  const Options options{.device = "cpu", .verify = true, .lanes = lanes};
  Scene scene = with_hertz(jumble_with_bodies(403), rotation);
  scene.materials[0].restitution = 0.4;
  if (rolls)
    scene.materials[1].rolling_friction = 0.2;
  Simulation moving(scene, options);
  REQUIRE_NOTHROW(moving.advance(5));
  Simulation settling(with_hertz(box_of(300), rotation), options);
  REQUIRE_NOTHROW(settling.advance(30));
  scene.worlds = 3;
  Simulation worlds(scene, options);
  REQUIRE_NOTHROW(worlds.advance(2));
}

TEST_CASE("Hertz: passes agree with their references on the device", "[hertz][lockstep][device]") {
  Scene scene = with_hertz(jumble_with_bodies(300), GENERATE(false, true));
  scene.materials[1].rolling_friction = 0.2;
  scene.worlds = GENERATE(1, 2);
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  CHECK(complaints(simulation).empty());
}

TEST_CASE("Hertz: worlds and a resumed run give the bits of a run alone", "[hertz]") {
  const Scene scene = with_hertz(box_of(200));
  Scratch scratch;
  Simulation whole(scene, on_cpu), first(scene, on_cpu), second(scene, on_cpu);
  first.advance(37);
  first.save(scratch / "state.talus");
  second.resume(scratch / "state.talus");
  second.advance(40);
  whole.advance(77);
  CHECK(second.state_hash() == whole.state_hash());
}

TEST_CASE("Hertz: a run may go over to it and back", "[hertz]") {
  Scene linear = box_of(200);
  linear.solver = default_solver(Method::dem);
  linear.solver.substeps = 4;
  Simulation simulation(linear, on_cpu);
  simulation.advance(20);
  Scene hertz = with_hertz(linear);
  simulation.change(hertz);
  REQUIRE_NOTHROW(simulation.advance(20));
  CHECK(simulation.scene().solver.contact == ContactLaw::hertz);
  simulation.change(linear);
  REQUIRE_NOTHROW(simulation.advance(20));
}
