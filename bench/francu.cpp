// Francu and Moldoveanu 2014, An Improved Jacobi Solver for Particle Simulation.
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

using talus::Iteration;
using talus::Method;
using talus::Scene;

constexpr double paper_radius = 0.025;  // m; the paper gives none

// Poured heaps by friction, for each method. 60 Hz and 15 iterations, as in the paper.
Result heaps_by_friction(const Context& context) {
  const std::vector<MethodCase> all = methods(context);
  const std::vector<double> mus = context.pick(std::vector{0.1, 0.2, 0.3, 0.4}, std::vector{0.1, 0.4});
  const unsigned count = context.pick(1500u, 300u);
  const double pouring = context.pick(6.0, 1.5), end = context.pick(8.0, 2.5);
  std::vector<double> angles(all.size() * mus.size());
  in_parallel(context, angles.size(), [&](std::size_t i) {
    Scene scene = floor_scene(all[i / mus.size()].solver, mus[i % mus.size()], 60.0, 1, 15);
    add_pouring(scene, count, paper_radius, pouring);
    talus::Simulation simulation = simulate(context, scene);
    angles[i] = go_on(simulation, end) ? fit_heap(simulation.grains()).angle : std::nan("");
  });

  Result result;
  result.summary.columns = {"method"};
  for (const double mu : mus)
    result.summary.columns.push_back(fmt::format("deg at mu {:g}", mu));
  result.plot = {"Heap angle by friction, 60 Hz x 15", "Coulomb coefficient", "angle [deg]", {}};
  for (std::size_t m = 0; m < all.size(); ++m) {
    std::vector<std::string> row{all[m].name};
    Series series{all[m].name, {}, "linespoints"};
    for (std::size_t k = 0; k < mus.size(); ++k) {
      row.push_back(number(angles[m * mus.size() + k]));
      series.points.emplace_back(mus[k], angles[m * mus.size() + k]);
    }
    if (all[m].name.starts_with("vts gauss") || all[m].name == "vts improved") {
      const double low = series.points.front().second, high = series.points.back().second;
      result.findings.push_back(
          {fmt::format("the angle grows with friction ({})", all[m].name),
           fmt::format("{} deg at {:g}, {} deg at {:g}", number(low), mus.front(), number(high), mus.back()),
           high > low + 3.0, "An independent prototype found 9 to 10 deg at 0.1 and 21 at 0.4."});
    }
    result.summary.rows.push_back(std::move(row));
    result.plot.series.push_back(std::move(series));
  }
  return result;
}

struct Errors {
  std::string name;
  talus::Solver solver;
  std::vector<std::pair<double, double>> frames;  // mean over grains of the summed overlap, in radii
  double settled = 0.0;                           // mean of the last fifth
};

// The error of positions in each frame at 60 Hz, 15 iterations.
Result position_errors(const Context& context, std::vector<Errors> cases, const std::string& title,
                       const std::function<void(Scene&)>& fill) {
  const double seconds = context.pick(5.0, 2.0);
  in_parallel(context, cases.size(), [&](std::size_t i) {
    Errors& one = cases[i];
    Scene scene = floor_scene(one.solver, 0.0, 60.0, 1, 15);
    fill(scene);
    talus::Simulation simulation = simulate(context, scene);
    const bool stable = watch(simulation, seconds, scene.dt, [&] {
      const talus::Measure m = simulation.measure();
      one.frames.emplace_back(static_cast<double>(simulation.step()), m.penetration_mean * m.contacts_mean);
    });
    const std::size_t last = one.frames.size() / 5;
    for (std::size_t k = one.frames.size() - last; k < one.frames.size(); ++k)
      one.settled += one.frames[k].second / static_cast<double>(last);
    if (!stable)
      one.settled = std::nan("");
  });
  Result result;
  result.summary.columns = {"solver", "error at rest [radii per grain]"};
  result.data.columns = {"solver", "frame", "error"};
  result.plot = {title, "frame", "overlap per grain [radii]", {}, false, true};
  for (const Errors& one : cases) {
    result.summary.rows.push_back({one.name, number(one.settled)});
    for (const auto& [frame, error] : one.frames)
      result.data.rows.push_back({one.name, fmt::format("{:g}", frame), number(error, 6)});
    result.plot.series.push_back({one.name, one.frames});
  }
  const double sequential = cases[0].settled, improved = cases[1].settled;
  result.findings.push_back({"improved Jacobi behaves like Gauss-Seidel",
                             fmt::format("{} and {} radii per grain", number(improved), number(sequential)),
                             improved < 2.0 * sequential, "Alike means at most twice the error."});
  if (cases.size() > 3) {
    const double steep = cases[2].settled, positions = cases[3].settled;
    result.findings.push_back({"a = 2 is more accurate than a = 1",
                               fmt::format("{} and {} radii per grain", number(steep), number(improved)),
                               steep < improved, "a is the factor of the momentum."});
    result.findings.push_back({"sequential positions have small errors, too",
                               fmt::format("{} radii per grain, impulses {}", number(positions), number(sequential)),
                               positions < sequential, "Both with Gauss-Seidel."});
  }
  return result;
}

Result equal_masses(const Context& context) {
  talus::Solver steep = plain(Method::vts);
  steep.beta_a = 2.0;
  std::vector<Errors> cases{{"vts gauss-seidel", plain(Method::vts, Iteration::gauss_seidel), {}},
                            {"vts improved, a = 1", plain(Method::vts), {}},
                            {"vts improved, a = 2", steep, {}},
                            {"sp gauss-seidel", plain(Method::sp, Iteration::gauss_seidel), {}}};
  return position_errors(context, std::move(cases), "Grains without friction settle in a box", [&](Scene& scene) {
    add_bed(scene, context.pick(3000u, 600u), paper_radius, context.pick(10.0, 6.0));
  });
}

Result unequal_masses(const Context& context) {
  talus::Solver improved = plain(Method::vts);
  improved.omega = 0.4;
  std::vector<Errors> cases{{"vts gauss-seidel", plain(Method::vts, Iteration::gauss_seidel), {}},
                            {"vts improved", improved, {}}};
  return position_errors(context, std::move(cases), "Grains of 1 g to 100 kg settle in a box", [&](Scene& scene) {
    const unsigned count = context.pick(3000u, 600u), kinds = 11;
    scene.materials[0].density /= grain_mass(scene, paper_radius);  // 1 kg
    const talus::Material one = scene.materials[0];
    scene.materials.clear();
    add_bed(scene, count, paper_radius, context.pick(10.0, 6.0));
    talus::GrainGroup group = scene.grains[0];
    scene.grains.clear();
    for (unsigned kind = 0; kind < kinds; ++kind) {
      talus::Material material = one;
      material.name = fmt::format("kind {}", kind);
      material.density *= std::pow(10.0, -3.0 + 5.0 * kind / (kinds - 1));
      material.friction_static = material.friction_kinetic = 0.2;
      scene.materials.push_back(material);
      group.material = kind;
      group.count = count * (kind + 1) / kinds - count * kind / kinds;
      scene.grains.push_back(group);
    }
  });
}

// The error of velocities left by a frame of so many iterations, all starting from the same state.
Result velocity_errors(const Context& context) {
  const unsigned count = context.pick(1000u, 300u);
  const std::vector<int> iterations =
      context.pick(std::vector{1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 60}, std::vector{2, 5, 15, 60});
  const std::vector<MethodCase> cases{{"vts gauss-seidel", plain(Method::vts, Iteration::gauss_seidel)},
                                      {"vts improved", plain(Method::vts)},
                                      {"sp gauss-seidel", plain(Method::sp, Iteration::gauss_seidel)}};
  std::vector<Series> errors(cases.size());
  in_parallel(context, cases.size(), [&](std::size_t i) {
    errors[i].name = cases[i].name;
    errors[i].style = "linespoints";
    Scene scene = floor_scene(cases[i].solver, 0.5, 60.0, 1, 60);
    add_bed(scene, count, paper_radius, 6.0);
    talus::Simulation simulation = simulate(context, scene);
    if (!go_on(simulation, 100.0 / 60.0))
      return;
    const auto before = simulation.grains();
    Scene frozen = scene;
    frozen.grains.clear();
    for (const talus::GrainState& g : before)
      add_points(frozen, paper_radius, {glm::clamp(glm::dvec3(g.position), scene.domain.min, scene.domain.max)},
                 glm::dvec3(g.velocity));
    for (const int n : iterations) {
      frozen.solver.iterations = n;
      talus::Simulation frame = simulate(context, frozen);
      if (go_on(frame, scene.dt))
        errors[i].points.emplace_back(n, approach_speed(before, frame.grains()));
    }
  });

  Result result;
  result.summary.columns = {"solver", "iterations", "mean approaching speed [m/s]"};
  result.plot = {
      "Velocity error after a frame", "iterations", "mean approaching speed of contacts [m/s]", errors, true, true};
  const auto last = [](const Series& s) { return s.points.empty() ? std::nan("") : s.points.back().second; };
  for (const Series& series : errors)
    for (const auto& [n, error] : series.points)
      result.summary.rows.push_back({series.name, fmt::format("{:g}", n), number(error)});
  result.findings = {{"improved Jacobi converges like Gauss-Seidel",
                      fmt::format("{} and {} m/s after {} iterations", number(last(errors[1])), number(last(errors[0])),
                                  iterations.back()),
                      last(errors[1]) < 3.0 * last(errors[0]), "Alike means at most three times the error."},
                     {"sequential positions converge better given many iterations",
                      fmt::format("{} and {} m/s after {} iterations", number(last(errors[2])), number(last(errors[0])),
                                  iterations.back()),
                      last(errors[2]) < last(errors[0]), "Both with Gauss-Seidel."}};
  return result;
}

}  // namespace

std::vector<Experiment> francu_experiments() {
  const std::string paper = "Francu and Moldoveanu 2014, figure ";
  return {{"francu_fig3", "Heaps by friction", paper + "3", 8.0, heaps_by_friction},
          {"francu_fig8", "Position error, equal masses", paper + "8", 1.0, equal_masses},
          {"francu_fig9", "Position error, unequal masses", paper + "9", 0.5, unequal_masses},
          {"francu_fig10", "Velocity error by iterations", paper + "10", 0.5, velocity_errors}};
}

}  // namespace bench
