// Velocity time stepping and sequential positions: what is known exactly, and figures of an independent prototype.
#include "engine/reference/space.h"
#include "simulate.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

Solver vts(Iteration iteration, bool memory) {
  return {.method = Method::vts,
          .iteration = iteration,
          .contact_memory = memory,
          .rotation = false,
          .omega = iteration == Iteration::gauss_seidel || iteration == Iteration::mass_splitting ? 1.0
                   : iteration == Iteration::improved_jacobi                                      ? 0.5
                                                                                                  : 0.3,
          .beta_a = memory ? 0.5 : 1.0,
          .warm_start = memory ? 0.5 : 0.0};
}
Solver sp(Iteration iteration, bool memory) {
  Solver solver = vts(iteration, memory);
  solver.method = Method::sp;
  if (iteration == Iteration::improved_jacobi)
    solver.omega = 0.3;
  return solver;
}

// Every combination of method and iteration, with contact memory and without. Plain Jacobi, at its small omega, is not
// meant for it.
std::vector<Variant> all() {
  std::vector<Variant> list;
  for (const bool memory : {false, true}) {
    const char* suffix = memory ? " with memory" : "";
    list.push_back({fmt::format("vts, improved_jacobi{}", suffix), vts(Iteration::improved_jacobi, memory)});
    list.push_back({fmt::format("vts, gauss_seidel{}", suffix), vts(Iteration::gauss_seidel, memory)});
    list.push_back({fmt::format("vts, mass_splitting{}", suffix), vts(Iteration::mass_splitting, memory)});
    list.push_back({fmt::format("sp, improved_jacobi{}", suffix), sp(Iteration::improved_jacobi, memory)});
    list.push_back({fmt::format("sp, gauss_seidel{}", suffix), sp(Iteration::gauss_seidel, memory)});
    list.push_back({fmt::format("sp, mass_splitting{}", suffix), sp(Iteration::mass_splitting, memory)});
  }
  list.push_back({"vts, jacobi", vts(Iteration::jacobi, false)});
  list.push_back({"vts, pja", vts(Iteration::pja, false)});
  list.push_back({"sp, jacobi", sp(Iteration::jacobi, false)});
  return list;
}

Scene scene_with(const Solver& solver, double dt, int iterations) {
  Scene scene = scene_of(dt, 1, iterations);
  scene = with(scene, solver);
  return scene;
}

Slide slide(const Solver& solver, double degrees, double mu_s, double mu_k, const Options& options = on_cpu) {
  return slide_down(scene_with(solver, 1.0 / 240, 20), degrees, mu_s, mu_k, options);
}

// Compression in % of a stack of n grains of r 5 cm after 8 s at 60 Hz and 15 iterations.
double compression(const Solver& solver, int n) {
  Scene scene = scene_with(solver, 1.0 / 60, 15);
  scene.domain.max.z = 0.2 * n;
  std::vector<glm::dvec3> points;
  for (int i = 0; i < n; ++i)
    points.push_back({0.0, 0.0, 0.05 + 0.1 * i});
  add_points(scene, 0.05, points);
  Simulation simulation(scene, on_cpu);
  simulation.advance(480);
  const auto grains = simulation.grains();
  for (const GrainState& grain : grains)  // it still stands
    CHECK(std::abs(grain.position.x) < 1e-6);
  return 100.0 * (1.0 - (grains.back().position.z + 0.05) / (0.1 * n));
}

// A heap of n grains, poured; radii from `smallest` to 1, in units of 1 cm.
Scene heap(const Solver& solver, unsigned n, double smallest, int iterations) {
  Scene scene = scene_with(solver, 1.0 / 240, iterations);
  const double r = 0.01;
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.3;
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.5;
  Emitter emitter;
  emitter.radius_min = smallest * r;
  emitter.radius_max = r;
  emitter.velocity = {0.0, 0.0, -1.0};
  emitter.shape = CylinderFill{{0.0, 0.0, 0.15}, 0.05, 0.1};
  emitter.rate = 200.0;
  emitter.count = n;
  emitter.stop = n / emitter.rate;
  scene.emitters.push_back(emitter);
  return scene;
}

// What a heap does from 2 s after its last grain on, for `seconds`.
struct Rest {
  double energy;  // mean kinetic energy of a grain, in m g r of the largest one
  double drift;   // largest way of a grain, in radii
  double height;  // in radii
};
Rest rest_of(const Scene& scene, int seconds) {
  Simulation simulation(scene, on_cpu);
  simulation.advance(static_cast<std::uint64_t>((scene.emitters[0].stop + 2.0) * 240));
  const auto before = simulation.grains();
  simulation.advance(240 * static_cast<std::uint64_t>(seconds));
  const auto after = simulation.grains();
  const Measure m = simulation.measure();
  const double r = scene.emitters[0].radius_max;
  const double mass = scene.materials[0].density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  Rest rest{m.kinetic_energy / m.grains / (mass * g * r), 0.0, 0.0};
  for (std::size_t i = 0; i < before.size(); ++i) {
    rest.drift = std::max(rest.drift, static_cast<double>(glm::distance(before[i].position, after[i].position)) / r);
    rest.height = std::max(rest.height, after[i].position.z / r);
  }
  return rest;
}

}  // namespace

TEST_CASE("A grain on an incline follows Coulomb's law in vts and sp", "[physics][vts]") {
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  // Memory stops the creep that is left where the iterations have not converged.
  const double creep = variant.solver.contact_memory ? 1e-5 : 2e-4;
  for (const double degrees : {5.0, 20.0, 26.0}) {  // atan 0.5 = 26.57
    CAPTURE(degrees);
    CHECK(std::abs(slide(variant.solver, degrees, 0.5, 0.5).speed) < creep);
  }
  for (const double degrees : {27.0, 30.0, 45.0, 70.0}) {
    CAPTURE(degrees);
    CHECK(slide(variant.solver, degrees, 0.5, 0.5).acceleration == Approx(sliding(degrees, 0.5)).epsilon(2e-4));
  }
  // Static friction holds between the two angles, kinetic friction brakes above.
  CHECK(std::abs(slide(variant.solver, 25.0, 0.6, 0.3).speed) < creep);
  CHECK(slide(variant.solver, 35.0, 0.6, 0.3).acceleration == Approx(sliding(35.0, 0.3)).epsilon(2e-4));
}
TEST_CASE("A grain on an incline follows Coulomb's law in vts and sp on the device", "[device][physics][vts]") {
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true)}) {
    CHECK(std::abs(slide(solver, 26.0, 0.5, 0.5, on_device()).speed) < 1e-5);
    CHECK(slide(solver, 30.0, 0.5, 0.5, on_device()).acceleration == Approx(sliding(30.0, 0.5)).epsilon(2e-4));
  }
}

TEST_CASE("Collisions keep momentum in vts and sp, and lose energy", "[physics][vts]") {
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  Scene scene = scene_with(variant.solver, 1.0 / 480, 10);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  add_points(scene, 0.05, {{-0.2, 0.0, 0.0}}, {1.0, 0.0, 0.0});
  add_points(scene, 0.02, {{0.2, 0.01, 0.0}}, {-3.0, 0.0, 0.0});
  SECTION("two that meet off their centres") {}
  SECTION("five, whose contact counts differ") {
    add_points(scene, 0.03, {{0.05, 0.1, 0.0}, {0.08, 0.16, 0.02}}, {0.0, -1.5, 0.0});
    add_points(scene, 0.04, {{0.02, -0.12, 0.03}}, {0.0, 1.5, 0.0});
  }
  Simulation simulation(scene, on_cpu);
  const Measure before = simulation.measure();
  double momentum = 0.0;  // of all grains, without sign
  for (const GrainState& grain : simulation.grains())
    momentum += glm::length(grain.velocity) * std::pow(grain.radius, 3) * 1600.0 * 4.0 / 3.0 * std::numbers::pi;
  double energy = before.kinetic_energy;
  for (int i = 0; i < 240; ++i) {
    simulation.advance(1);
    const double now = simulation.measure().kinetic_energy;
    CHECK(now < energy * (1.0 + 1e-3));  // of what overlaps give back
    energy = now;
  }
  const Measure after = simulation.measure();
  CHECK(glm::length(after.momentum - before.momentum) < 1e-5 * momentum);
  CHECK(after.kinetic_energy < 0.9 * before.kinetic_energy);
}

// The prototype: vts improved_jacobi 2.3 and 13.5 %, gauss_seidel 1.4 and 8.9, sp gauss_seidel 0.6 and 4.0; pja 16 and
// 57, where what was asked for was averaged over the contacts. Accumulated, as here, it does better.
TEST_CASE("A stack is compressed by what the iterations leave", "[physics][vts]") {
  const auto check = [](const Solver& solver, double ten, double fifty) {
    CHECK(compression(solver, 10) == Approx(ten).epsilon(0.08));
    CHECK(compression(solver, 50) == Approx(fifty).epsilon(0.08));
  };
  SECTION("vts, improved_jacobi") {
    check(vts(Iteration::improved_jacobi, false), 2.3, 13.5);
  }
  SECTION("vts, gauss_seidel") {
    check(vts(Iteration::gauss_seidel, false), 1.4, 8.9);
  }
  SECTION("sp, gauss_seidel") {
    check(sp(Iteration::gauss_seidel, false), 0.6, 4.0);
  }
  SECTION("vts, pja") {
    const double ten = compression(vts(Iteration::pja, false), 10), fifty = compression(vts(Iteration::pja, false), 50);
    CHECK(ten > 3.0);
    CHECK(ten < 16.0);
    CHECK(fifty > 20.0);
    CHECK(fifty < 57.0);
  }
}

TEST_CASE("Remembered impulses carry a stack further", "[physics][vts]") {
  Solver warm = vts(Iteration::improved_jacobi, false);
  warm.warm_start = 0.5;
  CHECK(compression(warm, 50) < 0.8 * compression(vts(Iteration::improved_jacobi, false), 50));
}

// Grains and walls that a grain touches or nearly so, on average. Exact projections leave contacts on either side of
// touching, so that how many overlap is chance.
double close_contacts(Simulation& simulation, double gap) {
  const Domain& domain = simulation.scene().domain;
  const std::vector<GrainState> grains = simulation.grains();
  std::size_t close = 0;
  for (const GrainState& a : grains) {
    for (const GrainState& b : grains)
      close += a.id != b.id && glm::length(a.position - b.position) < a.radius + b.radius + gap;
    for (int axis = 0; axis < 3; ++axis)
      close += (a.position[axis] - domain.min[axis] < a.radius + gap) +
               (domain.max[axis] - a.position[axis] < a.radius + gap);
  }
  return static_cast<double>(close) / static_cast<double>(grains.size());
}

TEST_CASE("Grains come to rest in a box in vts and sp", "[physics][vts]") {
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  const bool memory = variant.solver.contact_memory;
  Scene scene = box_of(250);
  scene.dt = 1.0 / 240;
  scene.solver = variant.solver;
  scene.solver.substeps = 4;
  scene.solver.iterations = 4;
  Simulation simulation(scene, on_cpu);
  double before = 0.0;
  for (int i = 0; i < 10; ++i) {
    simulation.advance(30);
    double energy = simulation.measure().kinetic_energy;
    for (const GrainState& grain : simulation.grains())
      energy += 1600.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(grain.radius, 3) * g * grain.position.z;
    if (i > 0)
      CHECK(energy < before * (1.0 + 1e-4));  // nothing gains energy
    before = energy;
  }
  const Measure m = simulation.measure();
  CHECK(m.penetration_mean < 0.04);
  CHECK(m.penetration_max < 0.2);
  if (variant.solver.iteration == Iteration::improved_jacobi)
    CHECK(m.penetration_mean < 0.008);
  CHECK(close_contacts(simulation, 0.01 * 0.005) > 3.2);  // 3.44 to 5.9, whatever the seed
  const double mass = 1600.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(0.005, 3);
  CHECK(m.kinetic_energy / m.grains < (memory ? 1e-6 : 1e-2) * mass * g * 0.005);
  for (const GrainState& grain : simulation.grains())
    for (int a = 0; a < 2; ++a) {
      CHECK(grain.position[a] > scene.domain.min[a] + 0.8 * grain.radius);
      CHECK(grain.position[a] < scene.domain.max[a] - 0.8 * grain.radius);
    }
}

TEST_CASE("A heap with contact memory rests, and one without creeps", "[physics][vts]") {
  for (const double smallest : {1.0, 0.5}) {
    CAPTURE(smallest);
    const Rest a = rest_of(heap(vts(Iteration::improved_jacobi, true), 300, smallest, 4), 4);
    const Rest b = rest_of(heap(sp(Iteration::improved_jacobi, true), 300, smallest, 5), 4);
    const Rest c = rest_of(heap(vts(Iteration::improved_jacobi, false), 300, smallest, 4), 4);
    for (const Rest& rest : {a, b}) {
      CHECK(rest.energy < 1e-9);
      CHECK(rest.drift < 0.01);
      CHECK(rest.height > 1.4 * c.height);
    }
    CHECK(c.energy > 1e-6);
    CHECK(c.drift > 1.0);
  }
}

TEST_CASE("A heap rests where sliding has less friction than sticking", "[physics][vts]") {
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true)}) {
    Scene scene = heap(solver, 300, 1.0, 5);
    scene.materials[0].friction_kinetic = 0.2;
    // Now and then a contact at its limit lets go. Of 24 seeds: energy 8e-6 to 2.4e-4, drift 0.007 to 0.6, of the
    // middle one 3e-5 and 0.02.
    std::vector<double> drifts;
    for (scene.seed = 1; scene.seed <= 3; ++scene.seed) {
      const Rest rest = rest_of(scene, 4);
      CHECK(rest.energy < 5e-4);
      drifts.push_back(rest.drift);
    }
    std::ranges::sort(drifts);
    CHECK(drifts[1] < 0.05);
  }
}

TEST_CASE("A gap does not stop a grain in the air", "[physics][vts]") {
  // Close enough that each is on the other's list, and not so fast that they meet.
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  Scene scene = scene_with(variant.solver, 1.0 / 240, 5);
  scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
  add_points(scene, 0.05, {{0.0, 0.0, 1.0}, {0.1005, 0.0, 1.0}});
  add_points(scene, 0.05, {{0.0, 0.1002, 1.0}}, {0.0, 0.01, 0.0});
  Simulation simulation(scene, on_cpu);
  simulation.advance(60);
  const double fallen = 0.5 * g * 60.0 * 61.0 / 240.0 / 240.0;
  for (const GrainState& grain : simulation.grains())
    CHECK(grain.position.z == Approx(1.0 - fallen).margin(1e-5));
  CHECK(simulation.grains()[0].position.x == 0.0f);
  CHECK(simulation.grains()[2].position.y == Approx(0.1002 + 0.01 * 0.25).margin(1e-6));
}

TEST_CASE("A grain whose support is gone falls", "[physics][vts]") {
  // Memory is no glue: a grain has rested on another for a while, which then is taken away.
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true)}) {
    Scene scene = scene_with(solver, 1.0 / 240, 10);
    scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
    add_points(scene, 0.05, {{0.0, 0.0, 0.05}, {0.0, 0.0, 0.15}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(240);
    CHECK(simulation.grains()[1].position.z == Approx(0.15).margin(2e-3));
    auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 2);
    const auto id = read_field<uint>(simulation.executor(), FieldId::grain_id, 2);
    const std::size_t lower = id[0] == 0 ? 0 : 1;
    grains[lower].velocity = vec4(100.0f, 0.0f, 0.0f, grains[lower].velocity.w);
    grains[lower].position.x = 0.5f;
    write_field(simulation.executor(), FieldId::grains, grains);
    const double from = simulation.grains()[1].position.z;
    simulation.advance(24);
    // The one substep in which the lists do not know yet costs nothing: the contact is out of reach.
    CHECK(simulation.grains()[1].position.z == Approx(from - 0.5 * g * 24.0 * 25.0 / 240.0 / 240.0).margin(2e-3));
  }
}

TEST_CASE("Grains of 1 g to 100 kg with friction settle without blowing up", "[physics][vts]") {
  const Iteration iteration = GENERATE(Iteration::jacobi, Iteration::improved_jacobi);
  Scene scene = scene_of(1.0 / 60, 1, 15);
  scene.solver = default_solver(Method::vts, iteration, false);
  scene.solver.substeps = 1;
  scene.solver.iterations = 15;
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {0.5, 0.5, 3.0};
  scene.materials.clear();
  for (int kind = 0; kind < 6; ++kind) {
    const double mass = std::pow(10.0, kind - 3.0);
    scene.materials.push_back({.name = fmt::format("kind {}", kind),
                               .density = mass / (4.0 / 3.0 * std::numbers::pi * std::pow(0.025, 3)),
                               .friction_static = 0.2,
                               .friction_kinetic = 0.2});
    GrainGroup group;
    group.material = static_cast<std::uint32_t>(kind);
    group.radius_min = group.radius_max = 0.025;
    group.shape = BoxFill{{0.0, 0.0, 0.0}, {0.5, 0.5, 1.5}};
    group.count = 80;
    scene.grains.push_back(group);
  }
  Simulation simulation(scene, on_cpu);
  for (int second = 0; second < 3; ++second) {
    simulation.advance(60);
    CHECK(simulation.measure().speed_max < 10.0);  // they fall 1.5 m
  }
  CHECK(simulation.measure().height < 1.5);
}

TEST_CASE("A crowd whose grains meet many at once gains no energy", "[physics][vts]") {
  const Method method = GENERATE(Method::vts, Method::sp);
  CAPTURE(static_cast<int>(method));
  const double r = 0.025, h = 1.0 / 60;
  Scene scene = scene_of(h, 1, 15);
  scene.solver = default_solver(method);
  scene.solver.substeps = 1;
  scene.solver.iterations = 15;
  scene.domain.gravity = {};
  scene.domain.min = glm::dvec3(-1.0);
  scene.domain.max = glm::dvec3(1.0);
  GrainGroup group;
  group.radius_min = group.radius_max = r;
  group.shape = SphereFill{{0.0, 0.0, 0.0}, 8 * r};
  group.velocity_random = 4 * r / h;
  scene.grains.push_back(group);
  Simulation simulation(scene, on_cpu);
  double energy = simulation.measure().kinetic_energy;
  for (int step = 0; step < 10; ++step) {
    simulation.advance(1);
    const double now = simulation.measure().kinetic_energy;
    CAPTURE(step, now / energy);
    CHECK(now < 1.01 * energy);
    energy = now;
  }
}

TEST_CASE("Adhesion holds as much as its area says", "[physics][vts]") {
  const double r = 0.01, area = adhesion_area * std::numbers::pi * r * r;
  const double weight = 1600.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r * g;
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  const auto fallen_from_ceiling = [&](double force) {
    Scene scene = scene_with(variant.solver, 1.0 / 960, 15);
    scene.domain.min = {-1.0, -1.0, 0.0};
    scene.domain.max = {1.0, 1.0, 1.0};
    scene.domain.adhesion = force / area;
    add_points(scene, r, {{0.0, 0.0, 1.0 - r}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    return 1.0 - r - simulation.grains()[0].position.z;
  };
  CHECK(fallen_from_ceiling(1.1 * weight) < 0.02 * r);
  CHECK(fallen_from_ceiling(0.9 * weight) > r);
}
TEST_CASE("Adhesion adds to the grip", "[physics][vts]") {
  // A wall that pulls with ten weights holds a grain that would slide.
  const double r = 0.01, slope = std::numbers::pi / 4.0;
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), vts(Iteration::improved_jacobi, false),
                               sp(Iteration::improved_jacobi, true)}) {
    const auto speed = [&](double weights) {
      Scene scene = scene_with(solver, 1.0 / 960, 15);
      scene.domain.axis = {Axis::open, Axis::open, Axis::wall};
      scene.domain.gravity = {g * std::sin(slope), 0.0, -g * std::cos(slope)};
      scene.domain.friction_static = scene.domain.friction_kinetic = 0.3;
      scene.domain.adhesion = weights * 1600.0 * 4.0 / 3.0 * r * g / adhesion_area;
      add_points(scene, r, {{0.0, 0.0, r}});
      Simulation simulation(scene, on_cpu);
      simulation.advance(480);
      return simulation.grains()[0].velocity.x;
    };
    CHECK(std::abs(speed(10.0)) < (solver.contact_memory ? 1e-5 : 2e-4));
    // Half a weight: a = g sin - mu (g cos + g / 2).
    CHECK(speed(0.5) == Approx(0.5 * g * (std::sin(slope) - 0.3 * (std::cos(slope) + 0.5))).epsilon(1e-3));
  }
}

TEST_CASE("vts and sp repeat bit for bit, for any number of threads", "[simulation][vts]") {
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), vts(Iteration::gauss_seidel, true),
                               sp(Iteration::mass_splitting, true)}) {
    const auto hash = [&](int threads) {
      Simulation simulation(with(box_of(1000), solver), {.device = "cpu", .threads = threads});
      simulation.advance(60);
      return simulation.state_hash();
    };
    const std::uint64_t one = hash(1);
    CHECK(hash(2) == one);
    CHECK(hash(3) == one);
  }
}

TEST_CASE("Gauss-Seidel is refused on a device", "[device][vts]") {
  for (const Method method : {Method::vts, Method::sp}) {
    Solver solver = vts(Iteration::gauss_seidel, true);
    solver.method = method;
    CHECK_THROWS_AS(Simulation(with(box_of(10), solver), on_device()), DeviceError);
  }
}

TEST_CASE("vts and sp agree with their references where adhesion pulls", "[device][lockstep][vts]") {
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true),
                               vts(Iteration::mass_splitting, true)}) {
    Scene scene = with(jumble(1000), solver);
    scene.materials[0].adhesion = 2000.0;
    scene.materials[1].adhesion = 500.0;
    Simulation simulation(scene, in_lockstep());
    REQUIRE_NOTHROW(simulation.advance(6));
  }
}

TEST_CASE("Contacts push and pull with equal and opposite impulses on a device", "[device][vts]") {
  // To the last bit, or momentum leaks: each side computes its own.
  for (const Solver& solver : {vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true),
                               vts(Iteration::mass_splitting, true)}) {
    Simulation simulation(with(jumble(1000), solver), on_device());
    simulation.advance(6);
    Executor& e = simulation.executor();
    const auto count = read_field<uint>(e, FieldId::contact_count, 1000);
    const auto start = read_field<uint>(e, FieldId::slice_start, e.size(FieldId::slice_start));
    const auto partner = read_field<uint>(e, FieldId::contact_partner, e.size(FieldId::contact_partner));
    const Fields f = fields_of(e, {FieldId::settings, FieldId::contact_state});
    const auto sum_at = [&](std::size_t slot) {
      return reference::vec4_at(f.contact_state, reference::sum_at(f, slot));
    };
    const auto slot = [&](uint i, uint k) { return (start[i / slice_grains] + k) * slice_grains + i % slice_grains; };
    std::size_t pressed = 0, unequal = 0;
    for (uint i = 0; i < 1000; ++i)
      for (uint k = 0; k < count[i]; ++k)
        if (const uint j = partner[slot(i, k)]; j < body_partner) {
          const vec4 mine = sum_at(slot(i, k));
          for (uint b = 0; b < count[j]; ++b)
            if (partner[slot(j, b)] == i) {
              const vec4 theirs = sum_at(slot(j, b));
              pressed += mine.w > 0.0f;
              unequal += mine.w != theirs.w || vec3(mine) != -vec3(theirs);
            }
        }
    CHECK(pressed > 500);
    CHECK(unequal == 0);
  }
}

TEST_CASE("A grain reaches a wall as fast as it flies", "[physics][vts]") {
  // A gap is no overlap: all of it may be flown, and nothing brakes before.
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  const double r = 0.05, h = 1.0 / 240, v = 1.0;
  Scene scene = scene_with(variant.solver, h, 60);
  scene.domain.gravity = {0.0, 0.0, 0.0};
  add_points(scene, r, {{0.0, 0.0, r + 2.3 * v * h}}, {0.0, 0.0, -v});
  Simulation simulation(scene, on_cpu);
  simulation.advance(2);
  CHECK(simulation.grains()[0].velocity.z == -1.0f);
  simulation.advance(1);
  // sp ends where kv times the speed and the gap that is left over h are in balance.
  const double kv = variant.solver.method == Method::sp ? variant.solver.kv : 0.0;
  CHECK(simulation.grains()[0].position.z - r == Approx(0.3 * v * h * kv / (1.0 + kv)).margin(1e-3 * v * h));
}

TEST_CASE("Adhesion ends with the gap", "[physics][vts]") {
  // Its pull of 1.5 weights is whole up to 0.01 r and gone at 0.02 r.
  const auto list = all();
  const Variant& variant = list[GENERATE_COPY(range(std::size_t{0}, list.size()))];
  CAPTURE(variant.name);
  const double r = 0.05, h = 1.0 / 4800, pull = 1.5;
  for (const auto& [gap, share] : {std::pair{0.0075, 1.0}, std::pair{0.015, 0.5}, std::pair{0.03, 0.0}}) {
    CAPTURE(gap);
    Scene scene = scene_with(variant.solver, h, 40);
    scene.domain.min = {-0.2, -0.2, 0.0};
    scene.domain.max = {0.2, 0.2, 0.4};
    scene.domain.adhesion = pull * 1600.0 * 4.0 / 3.0 * r * g / adhesion_area;
    add_points(scene, r, {{0.0, 0.0, 0.4 - r - gap * r}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(1);
    CHECK(simulation.grains()[0].velocity.z == Approx(g * h * (share * pull - 1.0)).epsilon(1e-2));
  }
}

TEST_CASE("A grain that lands on six at once does not jump", "[physics][vts]") {
  // It is one substep away from all of them when each must know that there are six.
  const Solver solver = GENERATE(vts(Iteration::mass_splitting, false), sp(Iteration::mass_splitting, false));
  CAPTURE(solver.method == Method::sp);
  const double r = 0.05, h = 1.0 / 240, v = 1.0, slope = glm::radians(35.0);
  Scene scene = scene_with(solver, h, 30);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  std::vector<glm::dvec3> nest;
  for (int i = 0; i < 6; ++i)
    nest.push_back(2.0 * r *
                   glm::dvec3(std::sin(slope) * std::cos(i * std::numbers::pi / 3.0),
                              std::sin(slope) * std::sin(i * std::numbers::pi / 3.0), -std::cos(slope)));
  add_points(scene, r, nest);
  scene.grains.back().fixed = true;
  add_points(scene, r, {{0.0, 0.0, 2.88 * v * h}}, {0.0, 0.0, -v});
  Simulation simulation(scene, on_cpu);
  simulation.advance(2);
  CHECK(simulation.grains()[6].velocity.z == -1.0f);
  double highest = 0.0;
  for (int i = 0; i < 10; ++i) {
    simulation.advance(1);
    highest = std::max<double>(highest, simulation.grains()[6].position.z);
  }
  CHECK(highest < 0.1 * v * h);
  CHECK(std::abs(simulation.grains()[6].position.z) < 0.02 * v * h);
}

TEST_CASE("Momentum does not carry a contact from sticking to sliding", "[physics][vts]") {
  // Where it has overshot the static limit, kinetic friction would not hold what static friction holds: atan 0.6
  // = 30.96.
  const Scene scene = scene_with(vts(Iteration::improved_jacobi, false), 1.0 / 240, 5);
  for (const double degrees : {25.0, 28.0, 30.5}) {
    CAPTURE(degrees);
    CHECK(slide_down(scene, degrees, 0.6, 0.3).speed < 2e-3);  // what five iterations leave
    Simulation simulation(on_incline(scene, degrees, 0.6, 0.3, -1.0), on_cpu);
    simulation.advance(60);
    CHECK(simulation.grains()[0].position.x == Approx(-0.5 * (1.0 / sliding(degrees, -0.3) - scene.dt)).epsilon(0.02));
  }
}

TEST_CASE("Adhesion of two grains acts over the smaller one", "[physics][vts]") {
  const Solver solver = GENERATE(vts(Iteration::improved_jacobi, true), sp(Iteration::improved_jacobi, true));
  const auto falls = [&](double r, double fixed, double share) {
    const double smaller = std::min(r, fixed), weight = 1600.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r * g;
    Scene scene = scene_with(solver, 1.0 / 960, 15);
    scene.domain.axis = {Axis::open, Axis::open, Axis::open};
    scene.materials[0].adhesion = share * weight / (adhesion_area * std::numbers::pi * smaller * smaller);
    add_points(scene, fixed, {{0.0, 0.0, r + fixed}});
    scene.grains.back().fixed = true;
    add_points(scene, r, {{0.0, 0.0, 0.0}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(240);
    return -simulation.grains()[1].position.z / smaller;
  };
  for (const auto& [r, fixed] : {std::pair{0.01, 0.02}, std::pair{0.02, 0.01}}) {
    CAPTURE(r, fixed);
    CHECK(falls(r, fixed, 1.1) < 0.02);
    CHECK(falls(r, fixed, 0.9) > 0.1);
  }
}
