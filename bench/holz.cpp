// Holz 2014, Parallel Particles.
#include "bench/constants.h"
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace bench {
namespace {

using talus::Iteration;
using talus::Method;
using talus::Scene;

constexpr double degree = std::numbers::pi / 180.0;

// A grain of 1 kg and 5 cm falls 15 cm onto the floor.
Result spring_damper(const Context& context) {
  struct Case {
    double k, c;
    int iterations;
    double worst = 0.0;
    std::vector<std::pair<double, double>> talus, euler;
  };
  std::vector<Case> cases{{1000.0, 100.0, 5}, {100.0, 0.0, 5}, {1000.0, 100.0, 1}, {1000.0, 100.0, 40},
                          {100.0, 0.0, 40},   {1e6, 10.0, 5},  {1e6, 1e4, 10}};
  const double r = 0.05, start = 0.2, seconds = 5.0;
  in_parallel(context, cases.size(), [&](std::size_t i) {
    Case& one = cases[i];
    Scene scene = floor_scene(plain(Method::p2), 0.5, 60.0, 1, one.iterations);
    scene.materials[0].density /= grain_mass(scene, r);
    scene.materials[0].stiffness = one.k;
    scene.materials[0].damping = one.c;
    add_points(scene, r, {{0.0, 0.0, start}});
    const double h = scene.dt;
    talus::Simulation simulation = simulate(context, scene);
    double z = start, v = 0.0;
    watch(simulation, seconds, h, [&] {
      // Implicit Euler of the same spring and damper.
      const double free = v - h * g;
      const bool contact = z + h * free - r <= 0.0;
      v = contact ? (free - h * one.k * (z - r)) / (1.0 + h * one.c + h * h * one.k) : free;
      z += h * v;
      const double at = simulation.grains()[0].position.z;
      one.worst = std::max(one.worst, std::abs(at - z));
      one.talus.emplace_back(simulation.time(), at);
      one.euler.emplace_back(simulation.time(), z);
    });
  });

  Result result;
  result.summary.columns = {"k [N/m]", "c [N s/m]", "iterations", "greatest distance [m]"};
  result.data.columns = {"k", "c", "iterations", "t", "z", "z_implicit_euler"};
  double worst = 0.0;
  for (const Case& one : cases) {
    worst = std::max(worst, one.worst);
    result.summary.rows.push_back({number(one.k), number(one.c), fmt::format("{}", one.iterations), number(one.worst)});
    for (std::size_t i = 0; i < one.talus.size(); ++i)
      result.data.rows.push_back({number(one.k), number(one.c), fmt::format("{}", one.iterations),
                                  number(one.talus[i].first, 6), number(one.talus[i].second, 9),
                                  number(one.euler[i].second, 9)});
  }
  result.plot = {"A grain falls on a spring-damper", "t [s]", "z [m]", {}};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = fmt::format("k {:g}, c {:g}", cases[i].k, cases[i].c);
    result.plot.series.push_back({name + ", Talus", cases[i].talus, "points"});
    result.plot.series.push_back({name + ", implicit Euler", cases[i].euler});
  }
  result.findings = {{"a contact equals implicit Euler for any number of iterations",
                      fmt::format("at most {:.1e} m apart in {:g} s", worst, seconds), worst < 1e-6,
                      "Single precision alone sets them apart."}};
  return result;
}

// 2000 poured grains as in the paper: 60 Hz, 10 iterations, error reduction, sleeping below 0.3 mm a step.
struct HeapCase {
  std::string name;
  double mu, adhesion = 0.0;
  Iteration iteration = Iteration::jacobi;
  double error_reduction = 0.5;
  int iterations = 10;
  Heap heap{};                        // of the first seed
  double angle = 0.0, scatter = 0.0;  // deg, mean and standard deviation of the seeds
};

std::string angle_of(const HeapCase& one) {
  return fmt::format("{} +- {}", number(one.angle), number(one.scatter, 2));
}

// By how much two runs of these must differ before they can be told apart: two standard deviations of a difference.
double noise(const HeapCase& a, const HeapCase& b) {
  return 2.0 * std::hypot(a.scatter, b.scatter);
}

void pour_all(const Context& context, std::vector<HeapCase>& cases) {
  const unsigned count = context.pick(2000u, 400u);
  const double pouring = context.pick(10.0, 2.0), end = context.pick(14.0, 4.0), r = 0.05;
  const std::size_t seeds = context.pick<std::size_t>(3, 2);
  std::vector<Heap> heaps(cases.size() * seeds);
  in_parallel(context, heaps.size(), [&](std::size_t i) {
    const HeapCase& one = cases[i / seeds];
    talus::Solver solver = plain(Method::p2, one.iteration);
    solver.error_reduction = one.error_reduction;
    solver.sleep_speed = 0.018;
    Scene scene = floor_scene(solver, one.mu, 60.0, 1, one.iterations);
    scene.materials[0].adhesion = one.adhesion;
    scene.seed = 1 + i % seeds;
    add_pouring(scene, count, r, pouring);
    talus::Simulation simulation = simulate(context, scene);
    const bool stable = go_on(simulation, end);
    heaps[i] = fit_heap(simulation.grains());
    if (!stable)
      heaps[i].angle = std::nan("");
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    HeapCase& one = cases[i];
    const auto own = std::span(heaps).subspan(i * seeds, seeds);
    one.heap = own[0];
    for (const Heap& heap : own)
      one.angle += heap.angle / static_cast<double>(seeds);
    for (const Heap& heap : own)
      one.scatter += std::pow(heap.angle - one.angle, 2) / static_cast<double>(seeds - 1);
    one.scatter = std::sqrt(one.scatter);
  }
}

Result three_heaps(const Context& context) {
  std::vector<HeapCase> cases{{"friction angle 5 deg", std::tan(5.0 * degree)},
                              {"friction angle 30 deg", std::tan(30.0 * degree)},
                              {"friction angle 5 deg, adhesion 1000 Pa", std::tan(5.0 * degree), 1000.0}};
  pour_all(context, cases);
  Result result;
  result.summary.columns = {"heap", "angle [deg]", "radius [m]", "height [m]"};
  result.data.columns = {"heap", "r", "z"};
  result.plot = {"Profiles of poured heaps", "distance from the axis [m]", "surface [m]", {}};
  for (const HeapCase& one : cases) {
    result.summary.rows.push_back({one.name, angle_of(one), number(one.heap.radius), number(one.heap.height)});
    for (const auto& [r, z] : one.heap.profile)
      result.data.rows.push_back({one.name, number(r, 6), number(z, 6)});
    result.plot.series.push_back({one.name, one.heap.profile, "linespoints"});
  }
  const auto steeper = [&](std::size_t i) { return cases[i].angle > cases[0].angle + noise(cases[i], cases[0]); };
  result.findings = {
      {"friction makes a heap steeper",
       fmt::format("{} deg at 30 deg of friction, {} deg at 5", angle_of(cases[1]), angle_of(cases[0])), steeper(1),
       "The paper shows pictures, no angles: steeper means by more than two standard deviations of a difference."},
      {"adhesion makes a heap steeper",
       fmt::format("{} deg at 1000 Pa, {} deg without", angle_of(cases[2]), angle_of(cases[0])), steeper(2),
       "As above. A contact of the mean overlap, 0.07 r, holds an eighth of a grain's weight here; the paper does not "
       "give the size of its grains."}};
  return result;
}

Result error_reduction(const Context& context) {
  std::vector<HeapCase> cases;
  const double mu = std::tan(30.0 * degree);
  const std::vector<int> counts = context.pick(std::vector{5, 10, 20, 40}, std::vector{10, 40});
  struct Solver {
    std::string name;
    Iteration iteration;
    double error_reduction;
  };
  const std::vector<Solver> solvers{{"Gauss-Seidel", Iteration::gauss_seidel, 0.0},
                                    {"Jacobi", Iteration::jacobi, 0.0},
                                    {"Jacobi, eps 0.5", Iteration::jacobi, 0.5}};
  for (const Solver& solver : solvers)
    for (const int count : counts)
      cases.push_back({solver.name, mu, 0.0, solver.iteration, solver.error_reduction, count});
  pour_all(context, cases);

  Result result;
  result.summary.columns = {"solver", "iterations", "angle [deg]", "height [m]"};
  result.plot = {"Heap angle by iterations", "iterations", "angle [deg]", {}, true};
  const auto found = [&](std::size_t solver, int iterations) -> const HeapCase& {
    const auto at = std::ranges::find(counts, iterations) - counts.begin();
    return cases[solver * counts.size() + static_cast<std::size_t>(at)];
  };
  bool better = true;
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    Series series{solvers[s].name, {}, "linespoints"};
    for (const int count : counts) {
      const HeapCase& one = cases[s * counts.size() + series.points.size()];
      result.summary.rows.push_back({one.name, fmt::format("{}", count), angle_of(one), number(one.heap.height)});
      series.points.emplace_back(count, one.angle);
      const HeapCase &sequential = found(0, count), &parallel = found(1, count);
      better = better && sequential.angle > parallel.angle - noise(sequential, parallel);
    }
    result.plot.series.push_back(std::move(series));
  }
  const HeapCase &sequential = found(0, 40), &reduced = found(2, 10);
  result.findings = {
      {"Gauss-Seidel is slightly better than Jacobi at equal iterations",
       fmt::format("at 10: {} and {} deg", angle_of(found(0, 10)), angle_of(found(1, 10))), better,
       "Better means an angle that is not less, but for two standard deviations of a difference."},
      {"Jacobi with error reduction 0.5 and 10 iterations comes close to Gauss-Seidel with 40",
       fmt::format("{} and {} deg", angle_of(reduced), angle_of(sequential)),
       std::abs(reduced.angle - sequential.angle) < noise(reduced, sequential),
       "Close means that two runs cannot be told apart: within two standard deviations of a difference."}};
  return result;
}

}  // namespace

std::vector<Experiment> holz_experiments() {
  return {{"holz_fig2", "A contact is implicit Euler", "Holz 2014, figure 2", 0.02, spring_damper},
          {"holz_fig3", "Friction and adhesion make heaps", "Holz 2014, figure 3", 0.9, three_heaps},
          {"holz_fig5", "Error reduction replaces iterations", "Holz 2014, figure 5", 4.5, error_reduction}};
}

}  // namespace bench
