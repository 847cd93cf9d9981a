#include "bench/scenes.h"
#include "bench/constants.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace bench {
namespace {

using talus::Iteration;
using talus::Method;
using talus::Solver;

}  // namespace

Solver remembering(Method method, std::optional<Iteration> iteration) {
  Solver solver = talus::default_solver(method, iteration, true);
  solver.rotation = solver.sleep = false;
  return solver;
}

Solver plain(Method method, std::optional<Iteration> iteration) {
  Solver solver = talus::default_solver(method, iteration, false);
  solver.rotation = solver.sleep = false;
  solver.error_reduction = 0.0;
  solver.averaging = talus::Averaging::plain;
  return solver;
}

std::vector<MethodCase> methods(const Context& context) {
  Solver upper = plain(Method::p2);
  upper.error_reduction = 0.5;
  if (context.quick)
    return {{"p2", plain(Method::p2)},
            {"p2+memory", remembering(Method::p2)},
            {"vts improved", plain(Method::vts)},
            {"vts+memory", remembering(Method::vts)},
            {"dem", remembering(Method::dem)}};
  return {{"p2", plain(Method::p2)},
          {"p2 eps 0.5", upper},
          {"p2+memory", remembering(Method::p2)},
          {"pbd", plain(Method::pbd)},
          {"vts jacobi", plain(Method::vts, Iteration::jacobi)},
          {"vts improved", plain(Method::vts)},
          {"vts mass splitting", plain(Method::vts, Iteration::mass_splitting)},
          {"vts pja", plain(Method::vts, Iteration::pja)},
          {"vts gauss-seidel", plain(Method::vts, Iteration::gauss_seidel)},
          {"vts+memory", remembering(Method::vts)},
          {"sp improved", plain(Method::sp)},
          {"sp gauss-seidel", plain(Method::sp, Iteration::gauss_seidel)},
          {"sp+memory", remembering(Method::sp)},
          {"dem", remembering(Method::dem)}};
}

std::vector<MethodCase> methods_in_brief(const Context& context) {
  std::vector<MethodCase> all = methods(context);
  std::erase_if(all, [](const MethodCase& method) {
    const Solver& s = method.solver;
    return method.name == "p2 eps 0.5" ||
           ((s.method == Method::vts || s.method == Method::sp) && s.iteration != Iteration::improved_jacobi);
  });
  return all;
}

talus::Scene house_scene(const std::string& name) {
  return talus::load_scene(std::filesystem::path(TALUS_SCENES) / (name + ".toml"));
}

void set_pace(talus::Scene& scene, double rate, int substeps, int iterations) {
  scene.dt = 1.0 / rate;
  const bool explicit_pass = scene.solver.method == Method::dem;
  scene.solver.substeps = explicit_pass ? substeps * iterations : substeps;
  scene.solver.iterations = explicit_pass ? 1 : iterations;
}

talus::Scene floor_scene(const Solver& solver, double mu, double rate, int substeps, int iterations) {
  talus::Scene scene;
  scene.source = "bench";
  scene.end = 1000.0;
  scene.solver = solver;
  scene.domain.axis = {talus::Axis::open, talus::Axis::open, talus::Axis::wall};
  scene.materials.push_back({.name = "grains", .friction_static = mu, .friction_kinetic = mu});
  set_pace(scene, rate, substeps, iterations);
  return scene;
}

void add_points(talus::Scene& scene, double radius, std::vector<glm::dvec3> points, glm::dvec3 velocity) {
  talus::GrainGroup group;
  group.radius_min = group.radius_max = radius;
  group.velocity = velocity;
  group.shape = talus::PointsFill{std::move(points)};
  scene.grains.push_back(std::move(group));
}

void set_rough_floor(talus::Scene& scene) {
  scene.domain.friction_static = scene.domain.friction_kinetic = std::max(0.5, scene.materials.at(0).friction_static);
}

void add_pouring(talus::Scene& scene, unsigned count, double radius, double pouring) {
  const double volume = count * 4.0 / 3.0 * pi * std::pow(radius, 3) / 0.5;
  const double top = std::cbrt(3.0 * volume * std::pow(std::tan(40.0 * pi / 180.0), 2) / pi);  // of a steep heap
  const double reach = std::cbrt(3.0 * volume / (pi * std::tan(5.0 * pi / 180.0)));            // of a flat one
  scene.domain.min = {-reach, -reach, 0.0};
  scene.domain.max = {reach, reach, 2.0 * top + 20.0 * radius};
  set_rough_floor(scene);
  talus::Emitter emitter;
  emitter.radius_min = emitter.radius_max = radius;
  emitter.velocity = {0.0, 0.0, -3.0 * std::sqrt(9.81 * radius)};  // m/s: 1.5 for grains of 2.5 cm
  emitter.shape = talus::CylinderFill{{0.0, 0.0, 1.2 * top + 4.0 * radius}, 6.0 * radius, 4.0 * radius};
  emitter.rate = count / pouring;
  emitter.stop = 3.0 * pouring;  // some find no room at once
  emitter.count = count;
  scene.emitters.push_back(emitter);
}

void add_bed(talus::Scene& scene, unsigned count, double radius, double layers) {
  const double edge = std::sqrt(count / layers) * 2.1 * radius;
  const double loose = count * 4.0 / 3.0 * pi * std::pow(radius, 3) / (0.3 * edge * edge);
  scene.domain.axis = {talus::Axis::wall, talus::Axis::wall, talus::Axis::wall};
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {edge, edge, loose + 10.0 * radius};
  talus::GrainGroup group;
  group.radius_min = group.radius_max = radius;
  group.shape = talus::BoxFill{{0.0, 0.0, 0.0}, {edge, edge, loose}};
  group.count = count;
  scene.grains.push_back(group);
}

talus::Scene scene_with_balls(unsigned grains, int n) {
  const double r = 0.01, edge = r * std::cbrt(grains / 0.5 * 4.2);
  talus::Scene scene = floor_scene(talus::default_solver(Method::dem), 0.5, 240.0, 8, 1);
  scene.domain.axis = {talus::Axis::wall, talus::Axis::wall, talus::Axis::wall};
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {edge, edge, 2.0 * edge};
  talus::GrainGroup group;
  group.radius_min = group.radius_max = r;
  group.shape = talus::BoxFill{scene.domain.min, scene.domain.max};
  group.count = grains;
  scene.grains.push_back(group);
  talus::BodySpec ball;
  ball.parts.resize(1);
  ball.parts[0].shape = talus::SpherePart{0.06 * edge};
  for (int k = 0; k < n; ++k) {
    ball.name = fmt::format("ball{}", k);
    ball.position = edge * (glm::dvec3(k % 4, k / 4 % 4, k / 16) * 0.22 + 0.17);
    scene.bodies.push_back(ball);
  }
  return scene;
}

talus::Scene settling_box(Method method, unsigned grains) {
  talus::Scene scene = house_scene("box_settle");
  talus::GrainGroup& group = scene.grains.at(0);
  const double pitch = 2.0 * group.spacing * group.radius_max, columns_10k = 22.0;
  const double columns = std::max(1.0, std::round(columns_10k * std::sqrt(grains / 10'000.0)));
  const double layers = std::ceil(grains / (columns * columns));
  scene.domain.max.x = scene.domain.max.y = columns * pitch;
  group.shape = talus::BoxFill{{0.0, 0.0, 0.0}, {columns * pitch, columns * pitch, (layers + 1.0) * pitch}};
  group.count = grains;
  const double overlap = scene.solver.overlap;
  scene.solver = talus::default_solver(method);
  scene.solver.overlap = overlap;
  scene.solver.substeps = 0;
  scene.solver.sleep = false;  // a step is to cost what its grains do
  return scene;
}

double grain_mass(const talus::Scene& scene, double radius) {
  return scene.materials.at(0).density * 4.0 / 3.0 * pi * std::pow(radius, 3);
}

talus::Simulation simulate(const Context& context, talus::Scene scene) {
  talus::Options options;
  options.device = scene.solver.iteration == Iteration::gauss_seidel ? "cpu" : context.device;
  options.threads = context.workers > 1 ? 1 : 0;
  return talus::Simulation(std::move(scene), options);
}

bool watch(talus::Simulation& simulation, double time, double every, const std::function<void()>& seen) {
  const double dt = simulation.scene().dt;
  const auto steps = [&](double t) { return static_cast<std::uint64_t>(std::llround(t / dt)); };
  try {
    while (simulation.step() < steps(time)) {
      simulation.advance(std::min(std::max<std::uint64_t>(steps(every), 1), steps(time) - simulation.step()));
      seen();
    }
  } catch (const talus::StateError&) {
    return false;
  }
  return true;
}

bool go_on(talus::Simulation& simulation, double time) {
  return watch(simulation, time, time, [] {});
}

void in_parallel(const Context& context, std::size_t count, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;)
      try {
        run(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        next = count;
      }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < context.workers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads)
    thread.join();
  if (error)
    std::rethrow_exception(error);
}

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "unstable";
}

}  // namespace bench
