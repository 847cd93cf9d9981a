#define CATCH_CONFIG_EXTERNAL_INTERFACES  // version 2 declares listeners only then
#include "simulate.h"
#include "engine/executors/open_devices.h"
#include "engine/scene/mass.h"
#include <cstdlib>
#include <optional>
#include <string>
#include <tbb/global_control.h>

namespace talus_tests {

std::string vulkan_device() {
  const char* device = std::getenv("TALUS_TEST_DEVICE");
  return device ? device : "0";
}

namespace {

// Tests follow one another on one device, whose passes are compiled once. It closes while the validation layer, which
// says then what was left behind, is still there: before static objects go.
std::shared_ptr<talus::OpenDevices> devices = talus::keep_devices_open();

struct CloseDevices : EventListener {
  using EventListener::EventListener;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    devices.reset();
    EventListener::testRunEnded(stats);
  }
};
CATCH_REGISTER_LISTENER(CloseDevices)

// TALUS_TEST_THREADS says how many threads the CPU path has at most, where as many processes run as there are cores.
// Threads that wait for others keep a core busy: the sanitized tests took 265 s of processor time with two threads.
struct FewThreads : EventListener {
  using EventListener::EventListener;
  void testRunStarting(const Catch::TestRunInfo& info) override {
    EventListener::testRunStarting(info);
    if (const char* most = std::getenv("TALUS_TEST_THREADS"))
      limit_.emplace(tbb::global_control::max_allowed_parallelism, std::stoul(most));
  }

private:
  std::optional<tbb::global_control> limit_;
};
CATCH_REGISTER_LISTENER(FewThreads)

}  // namespace

talus::Options on_device() {
  return {.device = vulkan_device(), .validation = true, .devices = devices};
}

talus::Options on_one_device() {
  talus::Options options = on_device();
  auto open = devices->take(options);
  talus::OpenDevice* const device = open.get();
  options.on = {device, [open = std::move(open)](talus::OpenDevice*) mutable { devices->leave(std::move(open)); }};
  return options;
}

talus::Options in_lockstep() {
  return {.device = vulkan_device(), .verify = true, .validation = false, .devices = devices};
}

talus::Options in_validated_lockstep() {
  return {.device = vulkan_device(), .verify = true, .validation = true, .devices = devices};
}

std::vector<std::string> complaints(talus::Simulation& simulation) {
  return simulation.gpu_device() ? simulation.gpu_device()->instance().log().messages() : std::vector<std::string>{};
}

talus::Scene scene_of(double dt, int substeps, int iterations) {
  talus::Scene scene;
  scene.source = "test";
  scene.dt = dt;
  scene.end = 100.0;
  scene.solver = talus::default_solver(talus::Method::p2);
  scene.solver.substeps = substeps;
  scene.solver.iterations = iterations;
  scene.materials.push_back({.name = "sand"});
  return scene;
}

talus::Scene open_scene(double dt, int substeps, int iterations) {
  talus::Scene scene = scene_of(dt, substeps, iterations);
  scene.domain.axis = {talus::Axis::open, talus::Axis::open, talus::Axis::open};
  return scene;
}

void advance_to(talus::Simulation& simulation, double time) {
  simulation.advance(static_cast<std::uint64_t>(std::llround((time - simulation.time()) / simulation.scene().dt)));
}

void let_sleep(talus::Simulation& simulation, double most) {
  while (simulation.awake().value() > 0 && simulation.time() < most)
    simulation.advance(20);
  REQUIRE(simulation.awake() == 0u);
}

double mass_of(double radius, double density) {
  return density * 4.0 / 3.0 * pi_ * radius * radius * radius;
}

std::vector<Variant> variants() {
  using namespace talus;
  std::vector<Variant> all{
      {"p2", {.method = Method::p2, .contact_memory = false}},
      {"p2 with memory and sleep", {.method = Method::p2, .sleep_speed = 0.05}},
      {"p2 as printed",
       {.method = Method::p2, .contact_memory = false, .averaging = Averaging::plain, .error_reduction = 0.5}},
      {"p2 with split masses", {.method = Method::p2, .iteration = Iteration::mass_splitting, .error_reduction = 0.3}},
      {"pbd", {.method = Method::pbd, .mass_scaling = 5.0, .stabilization = 2, .sor = 1.3}},
      {"pbd as printed",
       {.method = Method::pbd, .averaging = Averaging::plain, .friction = FrictionBound::per_iteration}},
      {"pbd with split masses", {.method = Method::pbd, .iteration = Iteration::mass_splitting, .mass_scaling = 5.0}},
      {"dem", {.method = Method::dem, .iterations = 1}},
      {"dem in one loop",
       {.method = Method::dem, .iterations = 1, .contact_memory = false, .detection = Detection::one_loop}},
      {"dem in two loops",
       {.method = Method::dem, .iterations = 1, .contact_memory = false, .detection = Detection::two_loops}},
      {"dem over linked lists", {.method = Method::dem, .iterations = 1, .neighbours = Neighbours::linked}},
      {"vts, jacobi", {.method = Method::vts, .contact_memory = false, .omega = 0.3, .warm_start = 0.0}},
      {"vts, improved_jacobi",
       {.method = Method::vts, .iteration = Iteration::improved_jacobi, .contact_memory = false, .warm_start = 0.0}},
      {"vts, improved_jacobi, with impulses remembered",
       {.method = Method::vts, .iteration = Iteration::improved_jacobi, .contact_memory = false, .warm_start = 0.5}},
      {"vts, improved_jacobi, with memory",
       {.method = Method::vts, .iteration = Iteration::improved_jacobi, .beta_a = 0.5}},
      {"vts, mass_splitting", {.method = Method::vts, .iteration = Iteration::mass_splitting, .omega = 1.0}},
      {"vts, pja",
       {.method = Method::vts, .iteration = Iteration::pja, .contact_memory = false, .omega = 0.3, .warm_start = 0.0}},
      {"sp, jacobi", {.method = Method::sp, .contact_memory = false, .omega = 0.3, .warm_start = 0.0}},
      {"sp, improved_jacobi, with memory",
       {.method = Method::sp, .iteration = Iteration::improved_jacobi, .omega = 0.3, .beta_a = 0.5}},
      {"sp, mass_splitting", {.method = Method::sp, .iteration = Iteration::mass_splitting, .omega = 1.0}},
      {"dem with the material's stiffness", {.method = Method::dem, .iterations = 1, .stiffness = Stiffness::material}},
  };
  for (Variant& variant : all)
    variant.solver.rotation = false;
  return all;
}

Variant each_variant() {
  const auto all = variants();
  return all[GENERATE_COPY(range(std::size_t{0}, all.size()))];
}

Variant each_method() {
  const std::string name =
      GENERATE("p2 with memory and sleep", "pbd", "dem", "vts, improved_jacobi, with memory", "sp, mass_splitting");
  const auto all = variants();
  return *std::ranges::find(all, name, &Variant::name);
}

talus::Scene with(talus::Scene scene, talus::Solver solver) {
  if (solver.method != talus::Method::dem)
    solver.iterations = scene.solver.iterations;
  solver.substeps = scene.solver.substeps;
  scene.solver = solver;
  return scene;
}

talus::Scene on_incline(talus::Scene scene, double degrees, double mu_s, double mu_k, double speed) {
  const double slope = glm::radians(degrees);
  scene.solver.rotation = false;
  scene.domain.axis = {talus::Axis::open, talus::Axis::open, talus::Axis::wall};
  scene.domain.gravity = {9.81 * std::sin(slope), 0.0, -9.81 * std::cos(slope)};
  scene.domain.friction_static = mu_s;
  scene.domain.friction_kinetic = mu_k;
  add_points(scene, 0.05, {{0.0, 0.0, 0.05}}, {speed, 0.0, 0.0});
  return scene;
}

Slide in_second_second(const talus::Scene& scene, const talus::Options& options) {
  talus::Simulation simulation(scene, options);
  const auto second = static_cast<std::uint64_t>(std::llround(1.0 / simulation.scene().dt));
  simulation.advance(second);
  const double before = simulation.grains()[0].velocity.x;
  simulation.advance(second);
  const double after = simulation.grains()[0].velocity.x;
  return {after - before, after};
}

Slide slide_down(talus::Scene scene, double degrees, double mu_s, double mu_k, const talus::Options& options) {
  return in_second_second(on_incline(std::move(scene), degrees, mu_s, mu_k), options);
}

double sliding(double degrees, double mu) {
  const double slope = glm::radians(degrees);
  return 9.81 * (std::sin(slope) - mu * std::cos(slope));
}

talus::Scene jumble(unsigned n) {
  talus::Scene scene = scene_of(1.0 / 60, 3, 4);
  scene.materials = {{.name = "sand", .friction_static = 0.7, .friction_kinetic = 0.4},
                     {.name = "gravel",
                      .density = 2500.0,
                      .friction_static = 0.3,
                      .friction_kinetic = 0.3,
                      .stiffness = 1e4,
                      .adhesion = 500.0}};
  const double radius = 0.01, edge = std::max(0.15, std::cbrt(n) * 1.8 * radius);
  scene.domain.min = {-0.5 * edge, -0.5 * edge, 0.0};
  scene.domain.max = {0.5 * edge, 0.5 * edge, edge};
  scene.domain.axis = {talus::Axis::open, talus::Axis::periodic, talus::Axis::wall};
  scene.parts_overlaps = false;
  std::mt19937 random(n);
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
  std::vector<std::vector<glm::dvec3>> points(4);
  for (unsigned i = 0; i < n; ++i) {
    glm::dvec3 p{uniform(-0.45, 0.45) * edge, uniform(-0.5, 0.4999) * edge, uniform(0.05, 0.95) * edge};
    if (i % 97 == 3 && !points[i % 4].empty())
      p = points[i % 4].back();  // coincident
    if (i % 31 == 5)
      p = glm::round(p / (2.3 * radius)) * (2.3 * radius);  // on cell borders
    if (i == 11)
      p.x = 500;
    p.z = std::clamp(p.z, 0.02, edge - 0.02);
    p.y = std::clamp(p.y, -0.5 * edge, 0.4999 * edge);
    points[i % 4].push_back(p);
  }
  for (unsigned g = 0; g < 4; ++g) {
    if (points[g].empty())
      continue;
    add_points(scene, radius * (1.0 - 0.15 * g), points[g], {0.2 * g, -0.3, -1.0});
    scene.grains.back().material = g % 2;
    scene.grains.back().velocity_random = 0.5;
  }
  return scene;
}

talus::BodySpec body_of(std::string name, std::vector<talus::BodyPart> parts, glm::dvec3 position,
                        glm::dvec3 rotation) {
  talus::BodySpec body;
  body.name = std::move(name);
  body.parts = std::move(parts);
  body.position = position;
  body.rotation = rotation;
  return body;
}

talus::Scene jumble_with_bodies(unsigned n) {
  using namespace talus;
  Scene scene = jumble(n);
  const glm::dvec3 a = scene.domain.min, edge = scene.domain.max - a;
  const auto at = [&](double x, double y, double z) { return a + edge * glm::dvec3(x, y, z); };
  scene.bodies = {body_of("floor", {{PlanePart{}}}, at(0.5, 0.5, 0.15), {8.0, 5.0, 0.0}),
                  body_of("bowl", {{BoxPart{{0.08, 0.06, 0.04}}}, {SpherePart{0.025}, {0.0, 0.0, 0.02}, {}, true}},
                          at(0.3, 0.3, 0.4), {20.0, 30.0, 40.0}),
                  body_of("ball", {{SpherePart{0.03}}, {CapsulePart{0.01, 0.1}, {0.02, 0.0, 0.0}, {0.0, 60.0, 0.0}}},
                          at(0.7, 0.98, 0.5)),
                  body_of("ring", {{TorusPart{0.04, 0.012}}}, at(0.6, 0.4, 0.7), {70.0, 0.0, 0.0}),
                  body_of("hat", {{ConePart{0.04, 0.01, 0.05}}}, at(0.2, 0.7, 0.6), {160.0, 20.0, 0.0})};
  scene.bodies[1].material = 1;
  scene.bodies[1].spin = {1.0, -2.0, 3.0};
  scene.bodies[2].velocity = {0.1, 0.3, -0.2};
  scene.bodies[3].spin = {0.0, 5.0, 0.0};
  scene.bodies[4].velocity = {0.0, 0.0, 0.5};
  return scene;
}

void add_bed(talus::Scene& scene, double half, double height, double radius, double filled) {
  scene.domain.min = {-half, -half, 0.0};
  scene.domain.max = {half, half, height};
  talus::GrainGroup bed;
  bed.radius_min = bed.radius_max = radius;
  bed.shape = talus::BoxFill{{-half, -half, 0.0}, {half, half, filled}};
  scene.grains.push_back(bed);
}

talus::Scene pouring(int substeps, int iterations, double stop) {
  talus::Scene scene = scene_of(1.0 / 120, substeps, iterations);
  talus::Emitter emitter;
  emitter.radius_min = 0.008;
  emitter.radius_max = 0.012;
  emitter.velocity = {0.0, 0.0, -2.0};
  emitter.shape = talus::CylinderFill{{0.0, 0.0, 0.2}, 0.1, 0.05};
  emitter.rate = 1000.0;
  emitter.stop = stop;
  scene.emitters.push_back(emitter);
  return scene;
}

talus::Scene box_of(unsigned n) {
  talus::Scene scene = scene_of(1.0 / 240, 2, 3);
  const double radius = 0.005, edge = 12.0 * radius * std::cbrt(n / 200.0);
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {edge, edge, 1.0};
  talus::GrainGroup group;
  group.radius_min = 0.8 * radius;
  group.radius_max = radius;
  group.shape = talus::BoxFill{{0.0, 0.0, 0.0}, {edge, edge, 1.0}};
  group.sampling = talus::Sampling::lattice;
  group.count = n;
  group.velocity_random = 0.5;
  scene.grains.push_back(group);
  return scene;
}

Momenta of_bodies(const talus::Simulation& simulation) {
  Momenta all;
  const auto& bodies = simulation.scene().bodies;
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    if (!is_dynamic(bodies[b]))
      continue;
    const talus::MassProperties m = talus::mass_of(bodies[b]);
    const talus::BodyState s = simulation.body_state(b);
    const glm::dvec3 arm = s.pose.rotation * m.center, center = s.pose.position + arm;
    const glm::dvec3 velocity = s.twist.velocity + glm::cross(s.twist.spin, arm);
    const glm::dmat3 turn = glm::mat3_cast(s.pose.rotation), inertia = turn * m.inertia * glm::transpose(turn);
    all.linear += m.mass * velocity;
    all.angular += m.mass * glm::cross(center, velocity) + inertia * s.twist.spin;
    all.energy += m.mass * glm::dot(velocity, velocity) / 2 + glm::dot(s.twist.spin, inertia * s.twist.spin) / 2;
  }
  return all;
}
}  // namespace talus_tests
