// Scenes of the house, measured: they are read from scenes/, so that what is shown and what is measured are the same.
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace bench {
namespace {

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

// The hourglass: how evenly it runs, and how fast.
Result hourglass(const Context& context) {
  talus::Scene scene = house_scene("hourglass");
  constexpr double neck = 0.16, half_angle = 25.0, heap_angle = 32.0, bin = 0.5;  // m, degrees, degrees, s
  talus::Emitter& pour = scene.emitters.at(0);
  if (context.quick)
    pour.count = 2500;
  const double count = *pour.count, d = pour.radius_min + pour.radius_max;
  const auto plug = std::ranges::find(scene.bodies, "plug", &talus::BodySpec::name);
  const double height = plug->position.z, opens = std::get<talus::Keyframes>(plug->motion).frames.at(0).time;

  talus::Simulation simulation = simulate(context, scene);
  std::vector<std::pair<double, double>> out;  // s, grains below the neck
  double packing = 0.0;                        // of what has settled on the plug
  const bool stable = watch(simulation, context.pick(scene.end, 4.3), 0.05, [&] {
    const auto grains = simulation.grains();
    if (packing == 0.0 && simulation.time() > opens - 0.1)
      packing = packing_fraction(grains, {-0.07, -0.07, height + 0.07}, {0.07, 0.07, height + 0.21});
    const auto below =
        std::ranges::count_if(grains, [&](const talus::GrainState& one) { return one.position.z < height; });
    if (simulation.time() >= opens)
      out.emplace_back(simulation.time() - opens, static_cast<double>(below));
  });

  Result result;
  result.summary.columns = {"time [s]", "grains per s", "of the mean"};
  result.data.columns = {"t", "out"};
  result.plot = {"Hourglass: rate of flow", "time since the plug dropped [s]", "grains per s", {}};
  for (const auto& [t, n] : out)
    result.data.rows.push_back({number(t, 4), number(n, 9)});
  // The middle 80 % of the time that the upper bulb takes to empty, but for a last grain that may stay on the wall.
  const auto empty = std::ranges::find_if(out, [&](const auto& point) { return point.second >= 0.998 * count; });
  if (!stable || empty == out.end()) {
    result.findings = {{"the upper bulb empties", "not in the time given", false, "Nothing else was measured."}};
    return result;
  }
  const auto out_at = [&](double t) {
    const auto next = std::ranges::lower_bound(out, t, {}, &std::pair<double, double>::first);
    if (next == out.begin())
      return next->second;
    const auto before = std::prev(next);
    return std::lerp(before->second, next->second, (t - before->first) / (next->first - before->first));
  };
  const double emptied = empty->first, from = 0.1 * emptied, until = 0.9 * emptied;
  const int bins = std::max(1, static_cast<int>((until - from) / bin));
  const double width = (until - from) / bins, mean = (out_at(until) - out_at(from)) / (until - from);
  Series series{"measured", {}, "linespoints"};
  double worst = 0.0;
  for (int i = 0; i < bins; ++i) {
    const double t = from + width * i, rate = (out_at(t + width) - out_at(t)) / width;
    worst = std::max(worst, std::abs(rate / mean - 1.0));
    series.points.emplace_back(t + 0.5 * width, rate);
    result.summary.rows.push_back({fmt::format("{:.2f} to {:.2f}", t, t + width), number(rate, 4),
                                   fmt::format("{:+.1f} %", 100.0 * (rate / mean - 1.0))});
  }

  // In grains per s. A steep hopper is faster than a flat floor by (tan(half angle) tan(angle of repose))^-0.35.
  const double each = 4.0 / 3.0 * pi * (std::pow(pour.radius_max, 4) - std::pow(pour.radius_min, 4)) / 4.0 /
                      (pour.radius_max - pour.radius_min);
  const double flat = packing / each * 0.58 * std::sqrt(g) * std::pow(neck - 1.4 * d, 2.5);
  const double steep = flat * std::pow(std::tan(half_angle * pi / 180.0) * std::tan(heap_angle * pi / 180.0), -0.35);
  result.plot.series = {{"0.94 of the mean", {{from, 0.94 * mean}, {until, 0.94 * mean}}},
                        {"1.06 of the mean", {{from, 1.06 * mean}, {until, 1.06 * mean}}},
                        std::move(series),
                        {"Beverloo, flat floor", {{from, flat}, {until, flat}}},
                        {"Beverloo, hopper of 25 deg (Rose and Tanaka)", {{from, steep}, {until, steep}}}};
  result.findings = {
      {"an hourglass runs at a constant rate",
       fmt::format("within {:.1f} % of {} grains per s", 100.0 * worst, number(mean, 4)), worst <= 0.06,
       fmt::format("Means over {:.2f} s, in the middle 80 % of the {:.2f} s in which {:g} grains ran through; within 6 "
                   "%.",
                   width, emptied, count)},
      {"the rate lies between that of a flat floor, W = 0.58 rho sqrt(g) (D - 1.4 d)^2.5 (Beverloo et al. 1961), and "
       "that of "
       "a hopper of half angle a, faster by (tan(a) tan(angle of repose))^-0.35 (Rose and Tanaka 1959)",
       fmt::format("{:.2f} of the flat floor's, {:.2f} of the hopper's", mean / flat, mean / steep),
       mean > flat && mean < steep,
       fmt::format("rho is what has settled on the plug, at a packing of {:.2f}. Grains do not rotate.", packing)}};
  return result;
}

}  // namespace

std::vector<Experiment> demonstration_experiments() {
  return {{"hourglass", "Flow of an hourglass", "Beverloo et al. 1961; Rose and Tanaka 1959", 3.0, hourglass}};
}

}  // namespace bench
