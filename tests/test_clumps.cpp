// Clumps: rigid grains of several spheres.
#include "engine/geometry/pose.h"
#include "engine/reference/clumps.h"
#include "engine/scene/clump.h"
#include "engine/scene/limitations.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "spinning.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Of three principal moments that differ.
const Clump lopsided({{0.0, 0.0, 0.0, 1.0}, {1.2, 0.0, 0.0, 0.8}, {1.0, 1.0, 0.3, 0.6}});

Scene clump_scene(int substeps = 16) {
  return rotating_scene(default_solver(Method::dem), substeps);
}
Scene without_walls(Scene scene) {
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  return scene;
}

GrainGroup& add_clumps(Scene& scene, Clump clump, double radius, std::vector<glm::dvec3> points,
                       glm::dvec3 velocity = {}) {
  add_points(scene, radius, std::move(points), velocity);
  scene.grains.back().clump = std::move(clump);
  return scene.grains.back();
}

// All clumps at rest, turned like this: from their frames of principal axes.
void turn_clumps(Simulation& simulation, const glm::dquat& turned) {
  auto motions = read_field<ClumpMotion>(simulation.executor(), FieldId::clump_motions, simulation.grain_places());
  for (ClumpMotion& motion : motions)
    motion.rotation = talus::vector_of(turned);
  write_field(simulation.executor(), FieldId::clump_motions, motions);
  simulation.advance(1);
}

// Clumps and spheres of mixed sizes that meet in free space.
Scene cloud_of_clumps() {
  Scene scene = without_walls(clump_scene(8));
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials.push_back({.name = "heavy", .density = 4000.0, .friction_static = 0.9, .friction_kinetic = 0.6});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  std::vector<glm::dvec3> taken;
  while (taken.size() < 60) {
    const glm::dvec3 at{0.06 * between(random), 0.06 * between(random), 0.06 * between(random)};
    if (std::ranges::any_of(taken, [&](const glm::dvec3& other) { return glm::distance(at, other) < 0.018; }))
      continue;
    const std::size_t k = taken.size();
    taken.push_back(at);
    const double radius = 0.004 + 0.001 * between(random);
    if (k % 4 == 0)
      add_points(scene, radius, {at}, -4.0 * at);
    else
      add_clumps(scene,
                 k % 4 == 1   ? pair_clump()
                 : k % 4 == 2 ? tetrahedron_clump()
                              : lopsided,
                 radius, {at}, -4.0 * at)
          .spin_random = 100.0;
    scene.grains.back().material = static_cast<std::uint32_t>(k % 2);
  }
  return scene;
}

// Of clumps, and of the grains that are none.
MomentaWithSpins momenta_of_all(Simulation& simulation) {
  MomentaWithSpins sum;
  std::vector<bool> of_clump(simulation.ids_end());
  for (const ClumpState& clump : simulation.clumps()) {
    std::fill_n(of_clump.begin() + clump.first, clump.spheres, true);
    sum.mass += clump.mass;
    sum.linear += clump.mass * clump.velocity;
    sum.linear_size += clump.mass * glm::length(clump.velocity);
    const glm::dvec3 own = clump.mass * glm::cross(clump.pose.position, clump.velocity) + clump.momentum;
    sum.angular += own;
    sum.angular_size += glm::length(own);
    sum.energy +=
        0.5 * clump.mass * glm::dot(clump.velocity, clump.velocity) + 0.5 * glm::dot(clump.spin, clump.momentum);
  }
  std::vector<SpinningGrain> alone = spinning_grains(simulation);
  std::erase_if(alone, [&](const SpinningGrain& grain) { return of_clump[grain.id]; });
  for (const SpinningGrain& grain : alone)
    sum.energy += 0.5 * grain.mass * glm::dot(grain.velocity, grain.velocity) +
                  0.5 * grain.inertia / (grain.radius * grain.radius) * glm::dot(grain.spin, grain.spin);
  const MomentaWithSpins spheres = momenta_with_spins(alone);
  sum.linear += spheres.linear;
  sum.angular += spheres.angular;
  sum.linear_size += spheres.linear_size;
  sum.angular_size += spheres.angular_size;
  return sum;
}

// A box that clumps and spheres fall into, periodic along y, with a sink and a body.
Scene poured_clumps(unsigned seed = 1) {
  Scene scene = clump_scene(8);
  scene.seed = seed;
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.3};
  scene.domain.axis = {Axis::wall, Axis::periodic, Axis::wall};
  const BoxFill space{{-0.1, -0.1, 0.02}, {0.1, 0.1, 0.2}};
  for (const Clump& clump : {pair_clump(), tetrahedron_clump(), lopsided}) {
    GrainGroup& group = add_clumps(scene, clump, 0.007, {}, {0.3, 0.5, -1.0});
    group.radius_max = 0.008;
    group.shape = space;
    group.count = 40;
    group.velocity_random = 0.3;
    group.spin_random = 20.0;
  }
  scene.grains.push_back({.radius_min = 0.006, .radius_max = 0.008, .shape = space, .count = 60});
  scene.bodies.push_back(body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.03}));
  return scene;
}

std::string clump_error(const std::string& clump, const std::string& more = "") {
  const std::string text =
      "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 1]\n[solver]\nmethod = \"dem\"\nrotation = true\n" + more +
      "[[material]]\nname = \"sand\"\n[[grains]]\nmaterial = \"sand\"\nradius = 0.02\n" +
      "count = 3\nclump = " + clump + "\nfill.box.size = [0.5, 0.5, 0.5]\n" + "fill.box.position = [0, 0, 0.5]\n";
  try {
    Simulation(parse_scene(text, "s.toml"), on_cpu).advance(1);
  } catch (const SceneError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A clump has the volume and the inertia of the union of its spheres", "[clumps]") {
  const ClumpShape& pair = pair_clump().shape();
  double volume = 0.0, along = 0.0, across = 0.0;  // of a solid of revolution, by slices
  constexpr int slices = 20000;
  for (int k = 0; k < slices; ++k) {
    const double x = 1.8 * (k + 0.5) / slices, square = 1.0 - (x - 0.8) * (x - 0.8), area = pi_ * square;
    volume += area;
    along += 0.5 * area * square;
    across += 0.25 * area * square + area * x * x;
  }
  CHECK(pair.volume == Approx(volume * 2 * 1.8 / slices).epsilon(5e-5));
  CHECK(pair.inertia.x == Approx(along / volume).epsilon(5e-5));
  CHECK(pair.inertia.y == Approx(across / volume).epsilon(5e-5));
  CHECK(pair.inertia.z == Approx(across / volume).epsilon(5e-5));
  CHECK(pair.reach == Approx(1.8));
  CHECK(pair.weights[0] == Approx(1.0 + 0.64 / pair.inertia.y));
  // Spheres that touch: two of radii 2 and 1, whose masses are 8 and 1.
  const Clump touching({{5.0, 5.0, 2.0, 2.0}, {5.0, 5.0, 5.0, 1.0}});
  const ClumpShape& two = touching.shape();
  CHECK(two.volume == Approx(4.0 / 3 * pi_ * 9 / 8).epsilon(1e-4));
  CHECK(two.inertia.x == Approx(0.4 * (8 * 1.0 + 1 * 0.25) / 9).epsilon(1e-4));
  CHECK(two.inertia.z == Approx(0.4 * (8 * 1.0 + 1 * 0.25) / 9 + 8.0 * 1.0 / 81 * 1.5 * 1.5).epsilon(1e-4));
  CHECK(glm::length(glm::dvec3(two.spheres[0])) == Approx(1.5 / 9).epsilon(1e-4));
  CHECK(two.spheres[1].w == Approx(0.5));
  // A tetrahedron turns alike about all axes.
  const ClumpShape& four = tetrahedron_clump().shape();
  CHECK(four.inertia.x == Approx(four.inertia.z).epsilon(1e-4));
}

TEST_CASE("A free clump keeps its angular momentum to the bit, and its energy", "[clumps]") {
  Scene scene = without_walls(clump_scene(8));
  scene.domain.gravity = {0.0, 0.0, -9.81};
  add_clumps(scene, lopsided, 0.02, {{1.0, 2.0, 3.0}}, {0.5, -0.7, 4.0}).spin = {30.0, -20.0, 25.0};
  Simulation simulation(scene, on_cpu);
  simulation.advance(1);
  const ClumpState before = simulation.clumps().at(0);
  double least = 1e30, most = 0.0;
  for (int k = 0; k < 100; ++k) {
    simulation.advance(2);
    const ClumpState now = simulation.clumps().at(0);
    REQUIRE(now.momentum == before.momentum);
    least = std::min(least, glm::dot(now.spin, now.momentum));
    most = std::max(most, glm::dot(now.spin, now.momentum));
    // The spheres move as the clump does, and do not touch each other.
    for (const SpinningGrain& sphere : spinning_grains(simulation)) {
      const glm::dvec3 lever = sphere.position - now.pose.position;
      CHECK(glm::length(sphere.velocity - now.velocity - glm::cross(now.spin, lever)) < 1e-5);
      CHECK(glm::length(sphere.spin - sphere.radius * now.spin) < 1e-6);
    }
  }
  CHECK(most / least - 1.0 < 1e-4);
  CHECK(simulation.measure().contacts_max == 0);
  const double fall = 1.0 - 0.5 * g * 1.0 - 0.5 * g * scene.dt / 8;  // free fall in substeps, for 1.005 s
  CHECK(simulation.clumps()[0].pose.position.z == Approx(3.0 + 4.0 * 1.005 + fall - 1.0).margin(0.06));
}

TEST_CASE("A clump turns as a free symmetric top does, however far in a substep", "[clumps]") {
  const glm::dvec3 inertia(0.3, 0.8, 0.8);
  for (const double angle : {1e-3, 0.1, 0.9, 1.1, 4.0, 30.0}) {
    const glm::dquat start = glm::normalize(glm::dquat(0.4, 0.3, -0.7, 0.5));
    const glm::dvec3 momentum = angle * inertia.y * glm::normalize(glm::dvec3(0.6, -0.3, 0.5));
    vec3 q(talus::vector_of(start));
    float s = static_cast<float>(start.w);
    reference::clump_turn(q, s, vec3(momentum), vec3(inertia), 1.0f);
    const double own = (1.0 / inertia.x - 1.0 / inertia.y) * (glm::conjugate(start) * momentum).x;
    const glm::dquat end = glm::angleAxis(angle, glm::normalize(momentum)) * start *
                           glm::angleAxis(own, glm::dvec3(1.0, 0.0, 0.0)),
                     found(s, q.x, q.y, q.z);
    CAPTURE(angle);
    const glm::dquat between = glm::conjugate(end) * found;
    CHECK(glm::length(glm::dvec3(between.x, between.y, between.z)) < 1e-6 * (1.0 + angle));
    CHECK(glm::length(found) == Approx(1.0).margin(1e-6));
  }
}

TEST_CASE("A cloud of clumps and spheres keeps its momenta, with friction", "[clumps]") {
  Simulation simulation(cloud_of_clumps(), on_cpu);
  const MomentaWithSpins before = momenta_of_all(simulation);
  const Measure measured = simulation.measure();
  CHECK(measured.kinetic_energy == Approx(before.energy).epsilon(1e-5));
  CHECK(glm::length(measured.momentum - before.linear) < 1e-6 * before.linear_size);
  simulation.advance(30);
  const MomentaWithSpins after = momenta_of_all(simulation);
  CHECK(after.energy < 0.9 * before.energy);  // they have met
  CHECK(simulation.measure().kinetic_energy == Approx(after.energy).epsilon(1e-5));
  CHECK(glm::length(after.linear - before.linear) < 1e-6 * before.linear_size);
  // 1.7e-6: x + h v of a constant velocity is rounded alike in every substep (docs/numerics.md, clumps).
  CHECK(glm::length(after.angular - before.angular) < 3e-6 * before.angular_size);
}

TEST_CASE("A clump that falls on an edge comes to rest flat", "[clumps]") {
  Scene scene = clump_scene(16);
  scene.domain.min = {-1.0, -1.0, 0.0};
  scene.domain.max = {1.0, 1.0, 1.0};
  add_clumps(scene, pair_clump(), 0.02, {{0.0, 0.0, 0.06}});
  add_clumps(scene, tetrahedron_clump(), 0.02, {{0.2, 0.0, 0.06}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(500);
  for (const ClumpState& clump : simulation.clumps()) {
    CAPTURE(clump.spheres);
    CHECK(glm::length(clump.velocity) < 1e-3);
    CHECK(0.02 * glm::length(clump.spin) < 1e-3);
  }
  std::vector<SpinningGrain> spheres = spinning_grains(simulation);
  REQUIRE(spheres.size() == 6);
  std::ranges::sort(spheres, {}, [](const SpinningGrain& s) { return s.position.z; });
  for (int k = 0; k < 5; ++k)  // all but the top of the tetrahedron
    CHECK(spheres[static_cast<std::size_t>(k)].position.z == Approx(0.02).epsilon(0.02));
}

TEST_CASE("Pairs slide down an incline along their axis, and roll across it", "[clumps]") {
  const auto down = [](double degrees, const glm::dquat& turned) {
    Scene scene = on_incline(clump_scene(), degrees, spinning_friction, spinning_friction, 0.0);
    scene.solver.rotation = true;
    scene.grains[0].clump = pair_clump();
    scene.grains[0].shape = PointsFill{{{0.0, 0.0, 0.091}}};  // above the plane, however it is turned at first
    Simulation simulation(scene, on_cpu);
    turn_clumps(simulation, turned);
    simulation.advance(399);  // until it has bounced no more
    const double before = simulation.clumps()[0].velocity.x;
    simulation.advance(100);
    return (simulation.clumps()[0].velocity.x - before) / (100 * scene.dt);
  };
  const glm::dquat along(1.0, 0.0, 0.0, 0.0), across = glm::angleAxis(pi_ / 2, glm::dvec3(0.0, 0.0, 1.0));
  CHECK(std::abs(down(10.0, along)) < 1e-4);  // atan 0.3 = 16.7
  CHECK(down(25.0, along) == Approx(sliding(25.0, spinning_friction)).epsilon(2e-3));
  const double inertia = pair_clump().shape().inertia.x;
  CHECK(down(10.0, across) == Approx(g * std::sin(glm::radians(10.0)) / (1.0 + inertia)).epsilon(2e-3));
}

TEST_CASE("Vectorised passes agree with their references with clumps among grains", "[clumps][lockstep]") {
  Simulation simulation(poured_clumps(), {.device = "cpu", .verify = true});
  REQUIRE_NOTHROW(simulation.advance(40));
  CHECK(simulation.measure().contacts_mean > 0.3);
}

TEST_CASE("Every pass agrees with its reference with clumps among grains", "[device][clumps][lockstep]") {
  Scene scene = poured_clumps();
  scene.sinks.push_back(
      {.name = "drain", .material = {}, .position = {0.08, 0.0, 0.02}, .parts = {{SpherePart{0.03}}}});
  SECTION("in one world") {}
  SECTION("without contact lists") {
    scene.solver.detection = GENERATE(Detection::one_loop, Detection::two_loops);
  }
  SECTION("in several") {
    scene.worlds = 3;
  }
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(15));
  REQUIRE_NOTHROW(simulation.measure());
}

TEST_CASE("Runs with clumps repeat, on and from a checkpoint, in any number of threads", "[clumps]") {
  const Scratch scratch;
  Scene scene = poured_clumps();
  scene.bodies.clear();
  Simulation one(scene, on_cpu), two(scene, {.device = "cpu", .threads = 3});
  one.advance(60);
  two.advance(30);
  two.save(scratch / "state");
  const std::uint64_t hash = two.state_hash();
  two.advance(30);
  CHECK(one.state_hash() == two.state_hash());
  Simulation three(scene, on_cpu);
  three.resume(scratch / "state");
  CHECK(three.state_hash() == hash);
  three.advance(30);
  CHECK(three.state_hash() == one.state_hash());
  CHECK(three.clumps().at(7).pose.rotation == one.clumps().at(7).pose.rotation);
}

TEST_CASE("Worlds have clumps of their own, and fork and start anew with them", "[clumps]") {
  Scene scene = poured_clumps();
  scene.worlds = 2;
  Simulation simulation(scene, on_cpu), alone(poured_clumps(2), on_cpu);
  simulation.advance(20);
  alone.advance(20);
  const auto of_world = [&](std::uint32_t world) {
    std::vector<ClumpState> clumps = simulation.clumps();
    std::erase_if(clumps, [&](const ClumpState& clump) { return clump.world != world; });
    return clumps;
  };
  REQUIRE(of_world(1).size() == alone.clumps().size());
  CHECK(of_world(1)[5].pose.rotation == alone.clumps()[5].pose.rotation);
  CHECK(simulation.state_hash(0) != simulation.state_hash(1));
  const std::uint32_t second = 1;
  simulation.fork_world(0, std::span(&second, 1));
  simulation.advance(10);
  CHECK(simulation.state_hash(0) == simulation.state_hash(1));
  CHECK(of_world(0)[5].pose.rotation == of_world(1)[5].pose.rotation);
  simulation.reset_worlds(std::span(&second, 1));
  simulation.advance(20);
  CHECK(of_world(1)[5].pose.rotation == alone.clumps()[5].pose.rotation);
}

TEST_CASE("A sink takes a clump as a whole, by its centre of mass", "[clumps]") {
  Scene scene = without_walls(clump_scene(8));
  add_clumps(scene, tetrahedron_clump(), 0.02, {{0.0, 0.0, 0.2}, {0.2, 0.0, 0.2}, {0.4, 0.0, 0.2}});
  scene.sinks.push_back({.name = "below", .material = {}, .parts = {{BoxPart{{0.3, 1.0, 0.2}}, {0.0, 0.0, -0.1}}}});
  Simulation simulation(scene, on_cpu);
  std::uint32_t before = 12;
  for (int k = 0; k < 80; ++k) {
    simulation.advance(1);
    const std::uint32_t now = simulation.grain_count();
    CHECK((now == before || now == before - 4 || now == before - 8));
    for (const ClumpState& clump : simulation.clumps())
      CHECK((clump.pose.position.z > 0.0 || clump.pose.position.x > 0.15));
    before = now;
  }
  CHECK(simulation.clumps().size() == 2);
  CHECK(simulation.sink_counts() == std::vector<std::uint32_t>{4});
}

TEST_CASE("Wrong clumps are errors that name the place", "[clumps]") {
  CHECK(clump_error("\"pair\"").empty());
  CHECK(clump_error("[[0, 0, 0, 1], [1, 0, 0, 0.5]]").empty());
  const std::string place = "s.toml:13:9: grains.0.clump ";
  CHECK_THAT(clump_error("[[0, 0, 0, 1]]"), Catch::StartsWith(place + "has 1 spheres: a clump has 2 to 8"));
  CHECK_THAT(clump_error("[[0,0,0,1],[1,0,0,1],[2,0,0,1],[3,0,0,1],[4,0,0,1],[5,0,0,1],[6,0,0,1],[7,0,0,1],[8,0,0,1]]"),
             Catch::StartsWith(place + "has 9 spheres"));
  CHECK_THAT(clump_error("[[0, 0, 0, 1], [1, 0, 0, 1], [5, 0, 0, 1]]"),
             Catch::StartsWith(place + "has a sphere that is apart from the rest, number 2"));
  CHECK_THAT(clump_error("[[0, 0, 0, 1], [1, 0, 0, 0]]"), Catch::Contains("of radius 0"));
  CHECK_THAT(clump_error("[[0, 0, 0, 1], [1, 0, 0]]"), Catch::Contains("a sphere [x, y, z, radius]"));
  CHECK_THAT(clump_error("\"triple\""), Catch::StartsWith(place) && Catch::Contains("tetrahedron"));
  CHECK_THAT(clump_error("3"), Catch::StartsWith(place));
  // Of methods and capabilities that do not know them.
  Scene scene = poured_clumps();
  scene.solver = default_solver(Method::vts);
  CHECK_THROWS_WITH(Simulation(scene, on_cpu),
                    Catch::Contains(say(limitation_of(Capability::clumps, Capability::iterated_methods))));
  scene.solver = default_solver(Method::dem);
  scene.solver.rotation = false;
  CHECK_THROWS_WITH(Simulation(scene, on_cpu),
                    Catch::Contains(say(limitation_of(Capability::clumps, Capability::without_rotation))));
  CHECK_THAT(clump_error("\"pair\"", "[upsampling]\nradius = 0.005\n"),
             Catch::Contains(say(limitation_of(Capability::clumps, Capability::upsampling))));
}

TEST_CASE("The text of a scene has its clumps", "[clumps]") {
  Scene scene = poured_clumps();
  const Scene read = parse_scene(to_toml(scene), "s.toml");
  REQUIRE(read.grains.size() == 4);
  CHECK(read.grains[0].clump->name() == "pair");
  CHECK(read.grains[2].clump->spheres() == lopsided.spheres());
  CHECK(!read.grains[3].clump);
}
