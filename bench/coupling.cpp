// What two-way coupling costs: dynamic bodies and cloth among grains.
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <memory>

namespace bench {
namespace {

using talus::Method;
using talus::Scene;

constexpr double grain_radius = 0.01;  // m

struct CoupledScene {
  std::string what;
  Scene scene;
  unsigned vertices;  // of cloth
};

// Walls around a square, and grains at random places above its floor.
Scene grains_scene(Method method, unsigned count, double edge, double floor, double height) {
  const bool explicit_pass = method == Method::dem;
  Scene scene = floor_scene(talus::default_solver(method), 0.5, 240.0, explicit_pass ? 8 : 4, explicit_pass ? 1 : 5);
  scene.domain.axis = {talus::Axis::wall, talus::Axis::wall, talus::Axis::wall};
  scene.domain.min = {0.0, 0.0, floor};
  scene.domain.max = {edge, edge, 2.0 * height};
  talus::GrainGroup group;
  group.radius_min = group.radius_max = grain_radius;
  group.shape = talus::BoxFill{{0.0, 0.0, 2.0 * grain_radius}, {edge, edge, height}};
  group.count = count;
  scene.grains.push_back(group);
  return scene;
}

// Balls among grains, as heavy as these: a lattice of which the first n are there.
CoupledScene with_bodies(Method method, unsigned grains, int n) {
  const double edge = grain_radius * std::cbrt(grains / 0.5 * 4.2);
  CoupledScene out{fmt::format("{} bodies", n), grains_scene(method, grains, edge, 0.0, 2.0 * edge), 0};
  for (int k = 0; k < n; ++k) {
    talus::BodySpec ball;
    ball.name = fmt::format("ball{}", k);
    ball.material = 0;
    ball.position = edge * (glm::dvec3(k % 4, k / 4 % 4, k / 16) * 0.22 + 0.17);
    ball.density = out.scene.materials[0].density;
    ball.parts.push_back({talus::SpherePart{0.06 * edge}});
    out.scene.bodies.push_back(ball);
  }
  return out;
}

// Grains on a cloth of n x n, held along its border, in place of a floor.
CoupledScene with_cloth(Method method, unsigned grains, unsigned n) {
  const double edge = grain_radius * std::sqrt(grains / 5.0 * 4.0), height = 25.0 * grain_radius;
  CoupledScene out{n ? fmt::format("cloth of {0} x {0}", n) : "no cloth",
                   grains_scene(method, grains, edge, n ? -0.5 * edge : 0.0, height), n ? (n + 1) * (n + 1) : 0};
  if (n > 0) {
    talus::ClothSpec cloth;
    cloth.name = "cloth";
    const double size = 0.98 * edge, side = size / n;
    cloth.sheet = talus::ClothGrid{{size, size}, {n, n}};
    cloth.position = {0.5 * edge, 0.5 * edge, 0.0};
    cloth.density = 2.0;
    cloth.thickness = 0.4 * std::min(side, 0.01);
    for (unsigned k = 0; k <= n; ++k)
      for (const double end : {-0.5, 0.5}) {
        const double along = size * (static_cast<double>(k) / n - 0.5);
        cloth.pins.push_back({along, end * size, 0.0});
        cloth.pins.push_back({end * size, along, 0.0});
      }
    out.scene.cloths.push_back(std::move(cloth));
  }
  return out;
}

// s: of the processor, all its cores together, where the passes run on it, so that what else it does does not count;
// else by the clock.
double seconds(const talus::DeviceSummary& device) {
  if (device.type == "CPU path" || device.type == "cpu")
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// ms per step of each case in each of several turns, [turn][case]: in turns, since a machine is not equally fast at all
// times.
std::vector<std::vector<double>> time_in_turns(const Context& context, const std::string& device,
                                               const std::vector<CoupledScene>& cases) {
  std::vector<std::unique_ptr<talus::Simulation>> simulations;
  for (const CoupledScene& one : cases) {
    simulations.push_back(
        std::make_unique<talus::Simulation>(one.scene, talus::Options{.device = device, .threads = 1}));
    simulations.back()->advance(context.pick(40u, 4u));
  }
  const std::uint64_t steps = context.pick(6u, 2u);
  std::vector<std::vector<double>> out(context.pick(5u, 3u));
  for (std::vector<double>& turn : out)
    for (const auto& simulation : simulations) {
      const talus::DeviceSummary summary = simulation->device();
      const double begin = seconds(summary);
      simulation->advance(steps);
      turn.push_back(1e3 * (seconds(summary) - begin) / static_cast<double>(steps));
    }
  return out;
}

// Cost of a step with bodies and with cloth by that without, on the CPU path and on the device asked for.
Result two_way_cost(const Context& context) {
  Result result;
  result.summary.columns = {"device", "method", "grains", "with", "ms per step", "by none", "a vertex, in grains"};
  result.plot = {"Cost of a step with dynamic bodies and with cloth",
                 "bodies, or cells along a side of the cloth",
                 "time by that without",
                 {},
                 true};
  std::vector<std::string> devices{"cpu"};
  const std::string cpu =
      talus::Simulation(floor_scene(plain(Method::p2), 0.5, 60.0, 1, 1), {.device = "cpu"}).device().name;
  if (talus::Simulation(floor_scene(plain(Method::p2), 0.5, 60.0, 1, 1), {.device = context.device}).device().name !=
      cpu)
    devices.push_back(context.device);
  const unsigned many = context.pick(20'000u, 500u), few = context.pick(5'000u, 200u);
  double worst_body = 0.0, growth = 0.0, worst_cloth = 0.0;
  for (const std::string& device : devices)
    for (const Method method : {Method::dem, Method::sp}) {
      const std::string name = method == Method::dem ? "dem" : "sp";
      const auto measure = [&](unsigned grains, const std::vector<CoupledScene>& cases, const std::vector<double>& at,
                               const std::string& what) {
        const std::vector<std::vector<double>> turns = time_in_turns(context, device, cases);
        Series series{fmt::format("{}, {}, {}", what, name, device), {}, "linespoints"};
        double first = 0.0;  // cost of a vertex of the smallest cloth
        for (std::size_t c = 0; c < cases.size(); ++c) {
          std::vector<double> ms, by;
          for (const std::vector<double>& turn : turns) {
            ms.push_back(turn[c]);
            by.push_back(turn[c] / turn[0]);
          }
          const double time = median(ms), ratio = median(by);
          if (c > 0)
            series.points.emplace_back(at[c - 1], ratio);
          std::string each;
          if (cases[c].vertices > 0) {
            const double vertex = (ratio - 1.0) * grains / cases[c].vertices;
            each = number(vertex);
            if (c == 1)
              first = vertex;
            if (c + 1 == cases.size())
              growth = std::max(growth, vertex / first);
            worst_cloth = std::max(worst_cloth, ratio);
          } else
            worst_body = std::max(worst_body, ratio);
          result.summary.rows.push_back(
              {device, name, std::to_string(grains), cases[c].what, number(time), number(ratio), each});
        }
        result.plot.series.push_back(std::move(series));
      };
      const std::vector<double> bodies = context.pick(std::vector{1.0, 8.0, 64.0}, std::vector{4.0}),
                                cells = context.pick(std::vector{20.0, 50.0, 100.0}, std::vector{8.0});
      std::vector<CoupledScene> of_bodies{with_bodies(method, many, 0)}, of_cloth{with_cloth(method, few, 0)};
      for (const double n : bodies)
        of_bodies.push_back(with_bodies(method, many, static_cast<int>(n)));
      for (const double n : cells)
        of_cloth.push_back(with_cloth(method, few, static_cast<unsigned>(n)));
      measure(many, of_bodies, bodies, "bodies");
      measure(few, of_cloth, cells, "cloth");
    }
  result.findings = {
      {fmt::format("{} dynamic bodies cost less than 1.6 times none: not bodies times grains", context.pick(64, 4)),
       fmt::format("{} times at most", number(worst_body)), worst_body < 1.6, "Balls among settling grains."},
      {"cloth costs as its vertices do, not vertices times grains",
       fmt::format(
           "a vertex of the largest costs {} times one of the smallest at most; a step with cloth up to {} times "
           "one without",
           number(growth), number(worst_cloth)),
       growth < 2.0, "Vertices of cloth under grains, above what these cost alone; alike means less than twice."}};
  return result;
}

}  // namespace

std::vector<Experiment> coupling_experiments() {
  return {{"two_way_cost", "Cost of dynamic bodies and of cloth", "this engine's design", 6.0, two_way_cost}};
}

}  // namespace bench
