// Fine grains: as many as the coarse ones have volume, in the same places, and along with them.
#include "bench/measure.h"
#include "engine/scene/bodies.h"
#include "engine/scene/sampling.h"
#include "scratch.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

double volume_of(double radius) {
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

double volume_of(const std::vector<Seed>& seeds) {
  double sum = 0.0;
  for (const Seed& seed : seeds)
    sum += volume_of(seed.radius);
  return sum;
}

// Does it hang on coarse grains so that it does not fall off: within one of them, or enough of them around it?
bool carried(const Seed& fine, const std::vector<Seed>& coarse) {
  double sum = 0.0;
  for (const Seed& c : coarse) {
    const double share = glm::distance(fine.position, c.position) / (3.0 * c.radius);
    if (share < 1.0 / 3.0)
      return true;
    sum += std::pow(std::max(1.0 - share * share, 0.0), 3.0);
  }
  return sum > 0.999;
}

void add_fill(Scene& scene, Shape shape, double radius) {
  GrainGroup group;
  group.radius_min = group.radius_max = radius;
  group.shape = std::move(shape);
  scene.grains.push_back(group);
}

Upsampling fine_of(double radius_min, double radius_max) {
  Upsampling u;
  u.radius_min = radius_min;
  u.radius_max = radius_max;
  return u;
}

// A dem scene in a box with walls, 0.4 m wide and 0.4 m high.
Scene box_scene() {
  Scene scene = scene_of(0.004, 0, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.domain.min = {-0.2, -0.2, 0.0};
  scene.domain.max = {0.2, 0.2, 0.4};
  return scene;
}

// A bed of coarse grains of 15 mm in it, up to `filled` [m] before it settles, with fine ones of some 6 mm.
Scene bed_scene(double filled) {
  Scene scene = box_scene();
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, filled}}, 0.015);
  scene.upsampling = fine_of(0.0055, 0.0065);
  return scene;
}

// A block of grains of 10 mm that slumps to a heap of 1200, in about a second.
Scene heap_scene(Advection advection = Advection::steady) {
  Scene scene = box_scene();
  scene.domain.min = {-0.3, -0.3, 0.0};
  scene.domain.max = {0.3, 0.3, 0.6};
  scene.solver.substeps = 10;
  scene.solver.rotation = false;  // so that it is steep
  add_fill(scene, CylinderFill{{0.0, 0.0, 0.0}, 0.12, 0.3}, 0.01);
  scene.upsampling = fine_of(0.003, 0.004);
  scene.upsampling->advection = advection;
  return scene;
}

// Fine grains that come and go, among bodies, shapes and cloth, in periods of y.
Scene busy_scene(const Solver& solver) {
  Scene scene = with(jumble_with_bodies(300), solver);
  scene.end = 1.0;
  scene.emitters = pouring(1, 1, 1.0).emitters;
  scene.emitters[0].shape = SphereFill{{0.0, 0.0, 0.1}, 0.03};
  scene.emitters[0].radius_min = 0.006;
  scene.emitters[0].radius_max = 0.008;
  scene.emitters[0].rate = 300.0;
  scene.sinks.push_back(
      {.name = "drain", .material = {}, .position = scene.domain.min, .parts = {{BoxPart{{0.1, 1.0, 0.1}}}}});
  scene.shapes.push_back({.name = "ball"});
  scene.shapes[0].grains.radius_min = scene.shapes[0].grains.radius_max = 0.008;
  scene.shapes[0].grains.shape = SphereFill{{0.05, 0.0, 0.12}, 0.02};
  scene.upsampling = fine_of(0.002, 0.004);
  return scene;
}

// The upper side at z = 0. thickness 0: a mesh that encloses nothing.
BodyPart slab(double thickness) {
  if (thickness > 0.0)
    return {BoxPart{{2.0, 1.0, thickness}}, {0.0, 0.0, -0.5 * thickness}};
  MeshPart sheet;
  sheet.as = MeshAs::triangles;
  sheet.file = "made here";
  const Mesh mesh{{{-1.0f, -0.5f, 0.0f}, {1.0f, -0.5f, 0.0f}, {1.0f, 0.5f, 0.0f}, {-1.0f, 0.5f, 0.0f}},
                  {{0, 1, 2}, {0, 2, 3}}};
  sheet.loaded = std::make_shared<LoadedMesh>(LoadedMesh{mesh, false, {}});
  return {sheet};
}

// A plate across a box without floor and lid, and fine grains of some 6 mm above it.
Scene plate_scene(double thickness) {
  Scene scene = box_scene();
  scene.domain.axis[2] = Axis::open;
  add_fill(scene, BoxFill{{-0.1, -0.1, 0.15}, {0.1, 0.1, 0.25}}, 0.015);
  scene.upsampling = fine_of(0.0055, 0.0065);
  scene.bodies.push_back(body_of("plate", {slab(thickness)}, {0.0, 0.0, 0.1}));
  return scene;
}

// Deepest overlap of a fine grain with walls and bodies, in its radii.
double deepest(Simulation& simulation) {
  const Scene& scene = simulation.scene();
  std::vector<Solid> solids;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    solids.push_back(
        solid_of(scene.bodies[b], simulation.body_state(static_cast<std::uint32_t>(b)).pose, radii_of(scene).max));
  double worst = -1.0;
  for (const GrainState& grain : simulation.fine_grains()) {
    const glm::dvec3 p(grain.position);
    double away = 1.0;
    for (const Solid& solid : solids)
      away = std::min<double>(away, sample(solid, p).distance);
    for (int a = 0; a < 3; ++a)
      if (scene.domain.axis[static_cast<std::size_t>(a)] == Axis::wall)
        away = std::min({away, p[a] - scene.domain.min[a], scene.domain.max[a] - p[a]});
    worst = std::max(worst, (grain.radius - away) / grain.radius);
  }
  return worst;
}

// How far each fine grain gets in a second, in its radii; sorted.
std::vector<double> drift(Simulation& simulation, double seconds) {
  const std::vector<GrainState> before = simulation.fine_grains();
  advance_to(simulation, simulation.time() + seconds);
  const std::vector<GrainState> after = simulation.fine_grains();
  std::vector<double> ways;
  for (std::size_t i = 0; i < before.size(); ++i)
    ways.push_back(glm::distance(before[i].position, after[i].position) / (before[i].radius * seconds));
  std::ranges::sort(ways);
  return ways;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values)
    sum += v;
  return sum / static_cast<double>(values.size());
}

// Fine grains within one and a half radii of a coarse one.
struct Around {
  double mean = 0.0;
  double deviation = 0.0;  // in means
  double alone = 0.0;      // share of the coarse grains that have less than a fifth of the mean
};
Around around(Simulation& simulation) {
  const std::vector<GrainState> coarse = simulation.grains(), fine = simulation.fine_grains();
  std::vector<double> counts;
  for (const GrainState& c : coarse)
    counts.push_back(static_cast<double>(std::ranges::count_if(
        fine, [&](const GrainState& f) { return glm::distance(f.position, c.position) < 1.5f * c.radius; })));
  Around out{.mean = mean_of(counts)};
  for (const double n : counts) {
    out.deviation += (n / out.mean - 1.0) * (n / out.mean - 1.0) / static_cast<double>(counts.size());
    out.alone += n < 0.2 * out.mean ? 1.0 / static_cast<double>(counts.size()) : 0.0;
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

}  // namespace

TEST_CASE("Fine grains have the volume of the coarse ones, and lie in the same shapes", "[upsampling]") {
  Scene scene = box_scene();
  SECTION("of a box") {
    add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.2}}, 0.015);
  }
  SECTION("of a ball") {
    add_fill(scene, SphereFill{{0.0, 0.0, 0.2}, 0.15}, 0.015);
  }
  SECTION("of a cylinder, on a dense lattice") {
    add_fill(scene, CylinderFill{{0.0, 0.0, 0.0}, 0.2, 0.3}, 0.015);
    scene.grains[0].sampling = Sampling::lattice;
    scene.grains[0].spacing = 1.0;
  }
  SECTION("of a ring around a body") {
    add_fill(scene, SolidFill{{{ConePart{0.15, 0.15, 0.3}, {0.0, 0.0, 0.15}}}}, 0.015);
    scene.bodies.push_back(body_of("pole", {{ConePart{0.05, 0.05, 0.4}}}, {0.0, 0.0, 0.2}));
  }
  SECTION("at given points") {
    PointsFill points;
    for (int k = 0; k < 40; ++k)
      points.points.emplace_back(0.0, 0.004 * k - 0.1, 0.1);
    add_fill(scene, points, 0.015);
    scene.parts_overlaps = false;
  }
  scene.upsampling = fine_of(0.004, 0.005);
  const Population population = populate(scene);
  CHECK(volume_of(population.fine) == Approx(volume_of(population.initial)).epsilon(0.02));
  const Bounds box = bounds(scene.grains[0].shape);
  const bool points = std::holds_alternative<PointsFill>(scene.grains[0].shape);
  CHECK(std::ranges::all_of(population.fine, [&](const Seed& seed) {
    const double out = points ? 0.015 : 0.0, r = (1.0 - 1e-5) * seed.radius;
    return glm::all(glm::greaterThanEqual(glm::dvec3(seed.position) - r, box.min - out)) &&
           glm::all(glm::lessThanEqual(glm::dvec3(seed.position) + r, box.max + out)) && seed.radius >= 0.004f &&
           seed.radius <= 0.005f;
  }));
  CHECK(std::ranges::all_of(population.fine, [&](const Seed& seed) { return carried(seed, population.initial); }));
}

TEST_CASE("Fine grains of several materials and radii have each material's volume", "[upsampling]") {
  Scene scene = box_scene();
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.1}}, 0.015);
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.1}, {0.2, 0.2, 0.2}}, 0.010);
  scene.grains[1].material = 1;
  scene.grains[1].radius_max = 0.014;
  scene.upsampling = fine_of(0.004, 0.004);
  const Population population = populate(scene);
  for (const std::uint32_t material : {0u, 1u}) {
    const auto of = [&](std::vector<Seed> seeds) {
      std::erase_if(seeds, [&](const Seed& s) { return s.material != material; });
      return volume_of(seeds);
    };
    CHECK(of(population.fine) == Approx(of(population.initial)).epsilon(0.02));
  }
}

TEST_CASE("Fine grains keep apart at random", "[upsampling]") {
  Scene scene = box_scene();
  add_fill(scene, BoxFill{{-0.1, -0.1, 0.0}, {0.1, 0.1, 0.1}}, 0.015);
  scene.upsampling = fine_of(0.005, 0.005);
  const Population population = populate(scene);
  double nearest = 1.0, mean = 0.0;
  for (const Seed& a : population.fine) {
    double d = 1.0;
    for (const Seed& b : population.fine)
      if (&a != &b)
        d = std::min<double>(d, glm::distance(a.position, b.position));
    nearest = std::min(nearest, d);
    mean += d / static_cast<double>(population.fine.size());
  }
  CHECK(nearest > 1.6 * 0.005);
  CHECK(mean > 1.8 * 0.005);
  CHECK(mean < 2.4 * 0.005);
}

TEST_CASE("Fixed grains, shapes and cloth have no fine grains", "[upsampling]") {
  Scene scene = box_scene();
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.1}}, 0.015);
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.1}, {0.2, 0.2, 0.14}}, 0.015);
  scene.grains[1].fixed = true;
  scene.shapes.push_back({.name = "ball"});
  scene.shapes[0].grains.radius_min = scene.shapes[0].grains.radius_max = 0.015;
  scene.shapes[0].grains.shape = SphereFill{{0.0, 0.0, 0.25}, 0.05};
  scene.upsampling = fine_of(0.005, 0.005);
  const Population population = populate(scene);
  double volume = 0.0;
  for (const Seed& seed : population.initial)
    if (seed.position.z < 0.1f)
      volume += volume_of(seed.radius);
  CHECK(volume_of(population.fine) == Approx(volume).epsilon(0.02));
  CHECK(std::ranges::all_of(population.fine, [](const Seed& seed) { return seed.position.z < 0.1f; }));
}

TEST_CASE("Too many fine grains are refused", "[upsampling]") {
  Scene scene = box_scene();
  scene.domain.min = glm::dvec3(-20.0);
  scene.domain.max = glm::dvec3(20.0);
  add_fill(scene, BoxFill{{-3.0, -3.0, 0.0}, {3.0, 3.0, 1.0}}, 0.1);
  scene.upsampling = fine_of(0.0051, 0.0051);
  REQUIRE_THROWS_WITH(populate(scene), Catch::Contains("fine grains") && Catch::Contains("16777216"));
}

TEST_CASE("Fine grains thrown at a plate go as in the reference", "[device][lockstep][upsampling]") {
  Scene scene = plate_scene(0.006);
  scene.bodies[0].spin = {0.0, -15.0, 0.0};
  scene.grains[0].velocity = {4.0, 0.0, -16.0};
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(8));
}

TEST_CASE("Passes of fine grains agree with their references", "[device][lockstep][upsampling]") {
  Solver solver = default_solver(Method::dem);
  solver.substeps = 6;
  Scene scene = busy_scene(solver);
  scene.upsampling->advection = GENERATE(Advection::steady, Advection::plain);
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(12));
  CHECK(simulation.fine_count() > 3000);
}

namespace {

// Equal bits whatever the threads, and where a run goes on from a checkpoint.
void repeats(const Options& options) {
  Solver solver = default_solver(Method::dem);
  solver.substeps = 6;
  const Scene scene = busy_scene(solver);
  Simulation first(scene, options), second(scene, options);
  first.advance(30);
  second.advance(7);
  second.advance(6);
  Scratch scratch;
  second.save(scratch / "state.talus");
  Simulation third(scene, options);
  third.resume(scratch / "state.talus");
  CHECK(third.fine_count() == second.fine_count());
  third.advance(17);
  CHECK(third.fine_count() == first.fine_count());
  CHECK(third.state_hash() == first.state_hash());
}

}  // namespace

TEST_CASE("Fine grains repeat and resume bit for bit", "[upsampling]") {
  repeats(on_cpu);
  repeats({.device = "cpu", .threads = 1});
}

TEST_CASE("Fine grains repeat and resume bit for bit on a device", "[device][upsampling]") {
  repeats(on_one_device());
}

TEST_CASE("Fine grains come with those of an emitter and end in a sink", "[upsampling]") {
  Scene scene = box_scene();
  Emitter emitter;
  emitter.radius_min = 0.010;
  emitter.radius_max = 0.014;
  emitter.velocity = {0.0, 0.0, -1.0};
  emitter.shape = CylinderFill{{0.0, 0.0, 0.25}, 0.1, 0.1};
  emitter.rate = 400.0;
  emitter.stop = 0.5;
  scene.emitters.push_back(emitter);
  scene.upsampling = fine_of(0.003, 0.004);
  SECTION("all stay") {
    Simulation simulation(scene, on_cpu);
    CHECK(simulation.fine_count() == 0);
    double coarse = 0.0, fine = 0.0;
    advance_to(simulation, 0.6);
    for (const GrainState& g : simulation.grains())
      coarse += volume_of(g.radius);
    for (const GrainState& g : simulation.fine_grains())
      fine += volume_of(g.radius);
    CHECK(simulation.grain_count() == 200);
    CHECK(fine == Approx(coarse).epsilon(0.02));
    CHECK(deepest(simulation) < 0.1);
  }
  SECTION("all go") {
    scene.sinks.push_back({.name = "floor", .material = {}, .position = {}, .parts = {{BoxPart{{1.0, 1.0, 0.1}}}}});
    Simulation simulation(scene, on_cpu);
    advance_to(simulation, 1.0);
    CHECK(simulation.grain_count() == 0);
    CHECK(simulation.fine_count() == 0);
    CHECK(simulation.fine_grains().empty());
    CHECK(simulation.fine_places() < populate(scene).fine_first.back());  // of many that are gone
  }
}

TEST_CASE("Fine grains rest where the coarse ones do, on the same slope", "[upsampling]") {
  Simulation steady(heap_scene(), on_cpu), plain(heap_scene(Advection::plain), on_cpu);
  for (Simulation* simulation : {&steady, &plain})
    advance_to(*simulation, 1.5);
  const double coarse = bench::fit_heap(steady.grains()).angle, fine = bench::fit_heap(steady.fine_grains()).angle;
  CHECK(coarse > 25.0);
  CHECK(fine == Approx(coarse).margin(2.0));
  // As printed they have drained into the pores.
  CHECK(around(steady).deviation < 0.25);
  CHECK(around(plain).deviation > 2.0 * around(steady).deviation);
  const std::vector<double> rest = drift(steady, 0.5);
  CHECK(mean_of(rest) < 0.01);
  CHECK(rest[rest.size() * 99 / 100] < 0.01);
  CHECK(deepest(steady) < 0.1);
}

namespace {

// Runs until all coarse grains sleep, and on for more moves than it takes to look at each resting fine grain once.
void let_fine_rest(Simulation& simulation) {
  let_sleep(simulation);
  simulation.advance(80);
}

std::vector<glm::vec3> fine_places_of(Simulation& simulation) {
  std::vector<glm::vec3> places;
  for (const GrainState& grain : simulation.fine_grains())
    places.push_back(grain.position);
  return places;
}

}  // namespace

TEST_CASE("Fine grains stay as they are over coarse ones that sleep, and fall once these are gone",
          "[upsampling][sleep]") {
  Scene scene = bed_scene(0.1);
  scene.solver.sleep = true;
  scene.materials[0].rolling_friction = 0.1;
  Simulation simulation(scene, on_cpu);
  let_fine_rest(simulation);
  const std::vector<glm::vec3> rest = fine_places_of(simulation);
  REQUIRE(rest.size() > 3000);
  simulation.advance(100);
  CHECK(fine_places_of(simulation) == rest);
  // Fine grains within reach of a moving coarse grain are advected with it, and all others keep their places.
  REQUIRE(simulation.grab({0.1, 0.1, 0.06}, 0.03) > 0);
  simulation.move_hand({0.1, 0.1, 0.2});
  simulation.advance(20);
  const std::vector<glm::vec3> pushed = fine_places_of(simulation);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool near = glm::distance(rest[i], {0.1f, 0.1f, 0.06f}) < 0.03f;
    moved += near && glm::distance(pushed[i], rest[i]) > 0.01f ? 1 : 0;
    if (glm::distance(rest[i], {-0.15f, -0.15f, 0.02f}) < 0.05f)
      CHECK(pushed[i] == rest[i]);
  }
  CHECK(moved > 20);
  simulation.release();
  // Fine grains in the corners are further away than any coarse one, and none of these is left whose motion would tell
  // them.
  double furthest = 0.0;
  for (const GrainState& grain : simulation.grains())
    furthest = std::max<double>(furthest, glm::length(grain.position));
  simulation.remove_grains({0.0, 0.0, 0.0}, furthest + 1e-4);
  REQUIRE(simulation.grain_count() == 0);
  const std::vector<glm::vec3> left = fine_places_of(simulation);
  REQUIRE(std::ranges::max(left, {}, &glm::vec3::z).z > 0.05f);
  simulation.advance(120);
  CHECK(std::ranges::max(fine_places_of(simulation), {}, &glm::vec3::z).z < 0.01f);
}

TEST_CASE("Passes of fine grains of which most rest agree with their references",
          "[device][lockstep][upsampling][sleep]") {
  Scene scene = bed_scene(0.06);
  scene.solver.sleep = true;
  scene.materials[0].rolling_friction = 0.1;
  scene.domain.min.x = -0.1;
  scene.domain.max.x = 0.1;
  scene.domain.axis[1] = Axis::periodic;
  Simulation alone(scene, on_cpu);
  let_fine_rest(alone);
  Scratch scratch;
  alone.save(scratch / "state.talus");
  Simulation simulation(scene, in_validated_lockstep());
  simulation.resume(scratch / "state.talus");
  REQUIRE(simulation.grab({0.05, 0.19, 0.05}, 0.03) > 0);
  simulation.move_hand({0.05, 0.25, 0.1});
  REQUIRE_NOTHROW(simulation.advance(6));
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("Stirred fine grains stay even, and out of walls and the paddle", "[upsampling]") {
  Scene scene = bed_scene(0.2);
  scene.bodies.push_back(body_of("paddle", {{BoxPart{{0.32, 0.03, 0.12}}}}, {0.0, 0.0, 0.09}));
  scene.bodies[0].spin = {0.0, 0.0, 3.0};
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.5);
  const Around start = around(simulation);
  double worst = deepest(simulation);
  while (simulation.time() < 3.5) {
    advance_to(simulation, simulation.time() + 0.1);
    worst = std::max(worst, deepest(simulation));
  }
  const Around stirred = around(simulation);
  CHECK(worst < 0.1);
  CHECK(stirred.mean == Approx(start.mean).epsilon(0.1));
  CHECK(stirred.deviation < start.deviation + 0.1);
  CHECK(stirred.alone < 0.02);
}

TEST_CASE("Fine grains do not go through thin walls", "[upsampling]") {
  const double thickness = GENERATE(0.03, 0.006, 0.0);  // two coarse radii, a fine one, and none
  Scene scene = plate_scene(thickness);
  SECTION("into which they are thrown") {
    scene.bodies[0].rotation = {0.0, 10.0, 0.0};
    scene.grains[0].velocity = {4.0, 0.0, -16.0};
  }
  SECTION("that are driven into them") {
    scene.bodies[0].velocity = {0.0, 0.0, 10.0};
  }
  SECTION("that swing into them") {
    scene.bodies[0].position.x = -0.3;
    scene.bodies[0].spin = {0.0, -15.0, 0.0};
  }
  Simulation simulation(scene, on_cpu);
  const auto behind = [&](const std::vector<GrainState>& grains) {
    const Pose plate = simulation.body_state(0).pose;
    return std::ranges::count_if(grains, [&](const GrainState& g) {
      return (glm::inverse(plate.rotation) * (glm::dvec3(g.position) - plate.position)).z < 0.0;
    });
  };
  REQUIRE(behind(simulation.fine_grains()) == 0);
  advance_to(simulation, 0.06);
  CHECK(behind(simulation.grains()) == 0);
  CHECK(behind(simulation.fine_grains()) == 0);
  CHECK(deepest(simulation) < 0.1);
}

TEST_CASE("Fine grains do not stick to a body that leaves", "[upsampling]") {
  Scene scene = bed_scene(0.12);
  scene.bodies.push_back(body_of("rod", {{CapsulePart{0.04, 0.3}}}, {0.0, 0.0, 0.2}));
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.5);
  simulation.drive_body(0, {{0.0, 0.0, 0.5}, {}});
  double worst = 0.0;
  while (simulation.time() < 1.1) {
    simulation.advance(1);
    worst = std::max(worst, deepest(simulation));
  }
  CHECK(worst < 0.1);
  double top = 0.0;
  for (const GrainState& g : simulation.grains())
    top = std::max<double>(top, g.position.z + g.radius);
  CHECK(top < 0.2);
  for (const GrainState& g : simulation.fine_grains())
    top = std::max<double>(top, g.position.z + g.radius);
  CHECK(top < 0.2);
}

TEST_CASE("Fine grains leave a body that is put among them, and know when one may be near", "[upsampling]") {
  Scene scene = bed_scene(0.12);
  scene.bodies.push_back(body_of("ball", {{SpherePart{0.05}}}, {0.0, 0.0, 0.34}));
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.3);
  const auto clear = [&] {
    const auto places = simulation.fine_places();
    const auto told = read_field<float>(simulation.executor(), FieldId::fine_clear, places);
    const auto grains = read_field<Grain>(simulation.executor(), FieldId::fine_grains, places);
    double least = 1.0, most = 0.0;
    for (std::size_t i = 0; i < places; ++i) {
      const double away = glm::distance(glm::dvec3(grains[i].position), simulation.body_state(0).pose.position) - 0.05;
      least = std::min(least, away - static_cast<double>(told[i]));
      most = std::max(most, static_cast<double>(told[i]));
    }
    CHECK(least > -1e-6);
    return most;
  };
  CHECK(clear() > 0.2);
  simulation.place_body(0, {{0.03, 0.0, 0.08}, {1.0, 0.0, 0.0, 0.0}});
  simulation.advance(1);
  CHECK(deepest(simulation) < 0.1);
  simulation.drive_body(0, {{0.5, 0.0, 0.5}, {}});
  for (int k = 0; k < 30; ++k) {
    simulation.advance(1);
    clear();
  }
  CHECK(deepest(simulation) < 0.1);
}

TEST_CASE("Fine grains go with coarse ones of several radii and materials", "[upsampling]") {
  Scene scene = box_scene();
  scene.materials[0].rolling_friction = 0.1;
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  add_fill(scene, BoxFill{{-0.2, -0.2, 0.0}, {0.0, 0.2, 0.12}}, 0.02);
  add_fill(scene, BoxFill{{0.0, -0.2, 0.0}, {0.2, 0.2, 0.12}}, 0.01);
  scene.grains[0].radius_min = 0.01;
  scene.grains[1].material = 1;
  scene.upsampling = fine_of(0.004, 0.006);
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 1.0);
  // Each half keeps its own: of a fine grain's material is the coarse one that is nearest.
  const std::vector<GrainState> coarse = simulation.grains();
  std::size_t other = 0;
  const std::vector<GrainState> fine = simulation.fine_grains();
  for (const GrainState& f : fine) {
    const auto nearest = std::ranges::min_element(
        coarse, {}, [&](const GrainState& c) { return glm::distance(c.position, f.position) - c.radius; });
    other += nearest->material != f.material;
  }
  CHECK(static_cast<double>(other) < 0.1 * static_cast<double>(fine.size()));
  CHECK(mean_of(drift(simulation, 0.5)) < 0.01);
  CHECK(deepest(simulation) < 0.1);
}

TEST_CASE("Fine grains rest on a platform that moves", "[upsampling]") {
  Scene scene = box_scene();
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.bodies.push_back(
      body_of("tray", {{BoxPart{{0.3, 0.3, 0.12}}}, {BoxPart{{0.26, 0.26, 0.12}}, {0.0, 0.0, 0.02}, {}, true}},
              {0.0, 0.0, 0.06}));
  add_fill(scene, BoxFill{{-0.13, -0.13, 0.021}, {0.13, 0.13, 0.12}}, 0.012);
  scene.upsampling = fine_of(0.004, 0.004);
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 1.0);
  // Once it has got its speed, all goes as one.
  simulation.drive_body(0, {{0.3, 0.0, 0.2}, {}}, {.acceleration = 1.0});
  advance_to(simulation, 2.0);
  const Pose before = simulation.body_state(0).pose;
  const std::vector<GrainState> coarse = simulation.grains(), fine = simulation.fine_grains();
  advance_to(simulation, 2.5);
  const glm::vec3 way(simulation.body_state(0).pose.position - before.position);
  CHECK(glm::length(way) > 0.15);
  // Against the tray, in fine radii.
  const auto slip = [&](const std::vector<GrainState>& start, const std::vector<GrainState>& end) {
    std::vector<double> ways;
    for (std::size_t i = 0; i < end.size(); ++i)
      ways.push_back(glm::distance(start[i].position + way, end[i].position) / 0.004);
    return mean_of(ways);
  };
  CHECK(slip(fine, simulation.fine_grains()) < slip(coarse, simulation.grains()) + 0.05);
  CHECK(deepest(simulation) < 0.1);
}
