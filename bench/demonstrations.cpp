// Scenes of the house, measured: they are read from scenes/, so that what is shown and what is measured are the same.
#include "bench/constants.h"
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include "engine/scene/mass.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace bench {
namespace {

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

// The same mass in fewer grains, for short versions.
void coarsen(talus::Scene& scene, double factor) {
  for (talus::GrainGroup& group : scene.grains) {
    group.radius_min *= factor;
    group.radius_max *= factor;
  }
  for (talus::Emitter& pour : scene.emitters) {
    pour.radius_min *= factor;
    pour.radius_max *= factor;
    pour.rate /= factor * factor * factor;
  }
}

// When the plank leaves its stop, and under what: the moment of grains and weights about its axis, which points away
// from where they turn it, as the mean of the quarter of a second before it has turned by 0.2 degrees.
class Tipping {
public:
  static constexpr double every = 0.02;  // s

  double time = -1.0, moment = 0.0;  // s, N m

  void look(const talus::Simulation& simulation, std::uint32_t plank, double load) {
    recent_.push_back(load);
    if (recent_.size() > 13)
      recent_.erase(recent_.begin());
    if (time < 0.0 && simulation.joint_state(plank).value > 0.2) {
      time = simulation.time();
      moment = std::accumulate(recent_.begin(), recent_.end(), 0.0) / static_cast<double>(recent_.size());
    }
  }

private:
  std::vector<double> recent_;  // N m
};

double load_of(const talus::Simulation& simulation, std::uint32_t plank) {
  return -simulation.body_loads()[plank].torque_filtered.y;
}

Tipping tipping_with(const Context& context, talus::Scene scene, std::uint64_t seed) {
  scene.seed = seed;
  const double end = scene.end;
  talus::Simulation simulation = simulate(context, std::move(scene));
  const std::uint32_t plank = simulation.body("plank");
  Tipping tipping;
  while (tipping.time < 0.0 && simulation.time() < end &&
         watch(simulation, simulation.time() + Tipping::every, Tipping::every,
               [&] { tipping.look(simulation, plank, load_of(simulation, plank)); })) {
  }
  return tipping;
}

struct Scatter {
  double mean = 0.0, deviation = 0.0;  // of one from another
  std::size_t count = 0;
  double error() const { return deviation / std::sqrt(static_cast<double>(count)); }  // of the mean
};
Scatter scatter_of(const std::vector<double>& values) {
  Scatter s{.count = values.size()};
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(s.count);
  for (const double value : values)
    s.deviation += (value - s.mean) * (value - s.mean) / static_cast<double>(s.count - 1);
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// The wheel and the plank: what turns the one and tips the other.
Result wheel_and_plank(const Context& context) {
  talus::Scene scene = house_scene("wheel_and_plank");
  if (context.quick)
    coarsen(scene, 1.6);
  talus::Simulation simulation = simulate(context, scene);
  const std::uint32_t wheel = simulation.body("wheel"), plank = simulation.body("plank");
  const std::vector<std::uint32_t> weights{simulation.body("weight_1"), simulation.body("weight_2"),
                                           simulation.body("weight_3")};
  const auto joint = [&](std::uint32_t body) { return std::get<talus::Joint>(scene.bodies[body].motion); };
  const talus::Emitter& pour = scene.emitters.at(0);

  // Where a weight lies along the plank, from its joint, and how far it has gone towards the grains.
  const auto along = [&](std::uint32_t weight) {
    const talus::Pose& frame = simulation.body_state(plank).pose;
    return (glm::conjugate(frame.rotation) * (simulation.body_state(weight).pose.position - frame.position)).x;
  };
  std::vector<double> start;
  for (const std::uint32_t weight : weights)
    start.push_back(along(weight));

  Result result;
  result.summary.columns = {"what", "time [s]", "value"};
  result.data.columns = {"t",      "wheel_speed", "wheel_torque", "plank_angle", "plank_torque",
                         "slid_1", "slid_2",      "slid_3"};
  Series speed{"wheel [turns per minute]", {}}, angle{"plank [degrees]", {}};
  std::vector<Series> ways{{"first weight has slid [cm]", {}}, {"second", {}}, {"third", {}}};
  const double rests = std::atan(scene.materials.at(1).friction_static) * 180.0 / pi;
  std::vector<double> slides(weights.size(), -1.0);  // degrees, of the plank once each has slid 1 cm
  double crept = 0.0;  // m, the furthest of the weights while the plank is less steep than friction bears
  Tipping tipping;
  double steady_torque = 0.0, steady_speed = 0.0, steady = 0.0;
  const double quiet = 1.5;  // s, by which the wheel turns evenly
  const bool stable = watch(simulation, scene.end, Tipping::every, [&] {
    const double t = simulation.time();
    const talus::JointState of_wheel = simulation.joint_state(wheel), of_plank = simulation.joint_state(plank);
    const std::vector<talus::BodyLoad> loads = simulation.body_loads();
    const double load = load_of(simulation, plank);
    if (t >= quiet && t < pour.stop) {
      steady_torque += loads[wheel].torque_filtered.y;
      steady_speed += of_wheel.speed;
      steady += 1.0;
    }
    tipping.look(simulation, plank, load);
    std::vector<std::string> row{number(t, 4), number(of_wheel.speed, 4), number(loads[wheel].torque_filtered.y, 4),
                                 number(of_plank.value, 4), number(load, 4)};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double way = start[i] - along(weights[i]);
      if (slides[i] < 0.0 && way > 0.01)
        slides[i] = of_plank.value;
      if (of_plank.value < rests && slides[i] < 0.0)
        crept = std::max(crept, std::abs(way));
      if (along(weights[i]) > -0.7)  // else it has left the plank
        ways[i].points.emplace_back(t, 100.0 * way);
      row.push_back(number(way, 4));
    }
    speed.points.emplace_back(t, of_wheel.speed / 6.0);
    angle.points.emplace_back(t, of_plank.value);
    result.data.rows.push_back(std::move(row));
  });
  result.plot = {"Wheel and plank", "time [s]", "", {std::move(speed), std::move(angle)}};
  for (Series& way : ways)
    result.plot.series.push_back(std::move(way));
  // That moment scatters with the blows of single grains: other seeds tell by how much.
  constexpr std::size_t seeds = 8;
  std::vector<Tipping> tippings(context.pick(seeds, std::size_t{2}), tipping);
  in_parallel(context, tippings.size() - 1,
              [&](std::size_t k) { tippings[k + 1] = tipping_with(context, scene, scene.seed + k + 1); });
  const bool all_tip = std::ranges::all_of(tippings, [](const Tipping& one) { return one.time >= 0.0; });
  if (!stable || !all_tip || steady == 0.0) {
    result.findings = {{"the plank tips", "not in the time given", false, "Nothing else was measured."}};
    return result;
  }
  steady_torque /= steady;
  steady_speed /= steady;

  const talus::MassProperties mass = talus::mass_of(scene.bodies[plank]);
  const double holds = mass.mass * g * mass.center.x, bearing = joint(wheel).friction;
  const auto [first, last] = std::ranges::minmax(slides);
  std::vector<double> moments;
  for (const Tipping& one : tippings)
    moments.push_back(one.moment);
  const Scatter moment = scatter_of(moments);
  const auto [least, most] = std::ranges::minmax(moments);
  result.summary.rows = {
      {"wheel turns at", fmt::format("{:g} to {:g}", quiet, pour.stop),
       fmt::format("{:.1f} turns per minute", steady_speed / 6.0)},
      {"grains turn it with", "the same", fmt::format("{:.3f} N m", steady_torque)},
      {"plank leaves its stop", number(tipping.time, 3), fmt::format("under {:.2f} N m", tipping.moment)},
      {fmt::format("the same, of {} seeds", moment.count), "",
       fmt::format("{:.2f} to {:.2f} N m, {:.2f} by their mean, of standard error {:.2f}", least, most, moment.mean,
                   moment.error())},
      {"its counterweight holds", "", fmt::format("{:.2f} N m", holds)},
      {"the weights have slid 1 cm", "", fmt::format("at {:.1f} to {:.1f} degrees", first, last)}};
  result.findings = {
      {"a wheel that turns evenly takes from the grains what its bearing brakes with",
       fmt::format("{:.3f} N m against {:g} N m", steady_torque, bearing),
       std::abs(steady_torque / bearing - 1.0) < 0.05, "Mean from 1.5 s to the end of the pouring."},
      {"the plank tips when what lies on it turns it more than its counterweight holds",
       fmt::format("{:.2f} +- {:.2f} N m by the mean of {} seeds ({:.2f} to {:.2f}) against {:.2f} N m", moment.mean,
                   moment.error(), moment.count, least, most, holds),
       std::abs(moment.mean / holds - 1.0) < 0.05,
       "Moment of grains and weights, mean of the quarter of a second before the plank has turned by 0.2 degrees; +- "
       "is "
       "the standard error of the mean. Single grains' blows make the runs differ."},
      {"a weight holds up to the angle of friction, atan(mu), and slides beyond",
       fmt::format("to {:.1f} degrees none moves by more than {:.1f} mm; 1 cm at {:.1f} to {:.1f} degrees", rests,
                   1000.0 * crept, first, last),
       crept < 0.005 && first > rests,
       "The plank goes on turning while they speed up, ever faster: that presses on them from below and swings them "
       "outwards."}};
  return result;
}

// A light and a heavy hull on grains that are shaken.
Result boat(const Context& context) {
  talus::Scene scene = house_scene("boat");
  if (context.quick)
    coarsen(scene, 1.4);
  talus::Simulation simulation = simulate(context, scene);
  const std::uint32_t tray = simulation.body("tray"), light = simulation.body("light"),
                      heavy = simulation.body("heavy");
  const double half = std::get<talus::BoxPart>(scene.bodies[light].parts.at(0).shape).size.z / 2;

  // Mean of the highest grain of each square of 5 cm, apart from where the hulls are.
  const auto surface = [&] {
    const glm::dvec3 at = simulation.body_state(tray).pose.position;
    std::map<std::pair<int, int>, double> tops;
    for (const talus::GrainState& one : simulation.grains()) {
      const glm::dvec3 p = glm::dvec3(one.position) - at;
      if (std::abs(p.x) > 0.25 || std::abs(p.y) > 0.11)
        continue;
      const auto near = [&](std::uint32_t body) {
        const glm::dvec3 away = simulation.body_state(body).pose.position - glm::dvec3(one.position);
        return std::hypot(away.x, away.y) < 0.12;
      };
      if (near(light) || near(heavy))
        continue;
      double& top = tops[{static_cast<int>(std::floor(p.x / 0.05)), static_cast<int>(std::floor(p.y / 0.05))}];
      top = std::max(top, static_cast<double>(one.position.z + one.radius));
    }
    double sum = 0.0;
    for (const auto& [square, top] : tops)
      sum += top;
    return tops.empty() ? std::nan("") : sum / static_cast<double>(tops.size());
  };

  // On the bed, before it is shaken.
  constexpr double rest_from = 1.8, rest_until = 2.15, shaken_from = 2.2;
  const double weight_light = g * talus::mass_of(scene.bodies[light]).mass,
               weight_heavy = g * talus::mass_of(scene.bodies[heavy]).mass;

  Result result;
  result.data.columns = {"t", "light", "heavy", "surface"};
  Series of_light{"bottom of the light hull", {}}, of_heavy{"bottom of the heavy hull", {}},
      of_bed{"surface of the bed", {}};
  double force_light = 0.0, force_heavy = 0.0, rows = 0.0;
  const bool stable = watch(simulation, context.pick(scene.end, 5.0), 0.05, [&] {
    const double t = simulation.time(), top = surface();
    const double z_light = simulation.body_state(light).pose.position.z - half,
                 z_heavy = simulation.body_state(heavy).pose.position.z - half;
    of_light.points.emplace_back(t, 100.0 * z_light);
    of_heavy.points.emplace_back(t, 100.0 * z_heavy);
    of_bed.points.emplace_back(t, 100.0 * top);
    result.data.rows.push_back({number(t, 4), number(z_light, 4), number(z_heavy, 4), number(top, 4)});
    if (t > rest_from && t < rest_until) {
      const std::vector<talus::BodyLoad> loads = simulation.body_loads();
      force_light += loads[light].force_filtered.z;
      force_heavy += loads[heavy].force_filtered.z;
      rows += 1.0;
    }
  });
  const std::size_t last = of_bed.points.size();
  const auto depth_at_end = [&](const Series& hull) {  // cm, mean of the last half second that was seen
    double sum = 0.0;
    for (std::size_t i = last - 10; i < last; ++i)
      sum += of_bed.points[i].second - hull.points[i].second;
    return sum / 10.0;
  };
  if (!stable || last < 10 || rows == 0.0) {
    result.findings = {{"the bed can be shaken", "unstable", false, "Nothing else was measured."}};
    return result;
  }
  const double depth_light = depth_at_end(of_light), depth_heavy = depth_at_end(of_heavy);
  force_light /= rows;
  force_heavy /= rows;
  result.summary.columns = {"hull", "weight [N]", "force at rest [N]", "depth in the end [cm]"};
  result.summary.rows = {{"light", number(weight_light, 4), number(force_light, 4), number(depth_light, 3)},
                         {"heavy", number(weight_heavy, 4), number(force_heavy, 4), number(depth_heavy, 3)}};
  const double off = std::max(std::abs(force_light / weight_light - 1.0), std::abs(force_heavy / weight_heavy - 1.0));
  result.findings = {{"at rest on the bed, grains bear just the weight of a hull",
                      fmt::format("to {:.2f} %", 100.0 * off), off < 0.02,
                      "Mean of the filtered force before the bed is shaken."},
                     {"shaken, the bed lets a hull denser than itself sink", fmt::format("{:.1f} cm deep", depth_heavy),
                      depth_heavy > 200.0 * half, "Below the surface with all its 8 cm."},
                     {"and carries a lighter one", fmt::format("{:.1f} cm deep", depth_light),
                      depth_light < 100.0 * half, "By less than half its height."}};
  result.plot = {"Hulls on shaken grains",
                 "time [s]",
                 "height [cm]",
                 {std::move(of_light),
                  std::move(of_bed),
                  std::move(of_heavy),
                  {"shaken from here on", {{shaken_from, 2.0}, {shaken_from, 40.0}}}}};
  return result;
}

}  // namespace

std::vector<Experiment> demonstration_experiments() {
  return {{"hourglass", "Flow of an hourglass", "Beverloo et al. 1961; Rose and Tanaka 1959", 3.0, hourglass},
          {"wheel_and_plank", "Grains turn a wheel and tip a plank", "Holz 2014, Figure 4", 2.0, wheel_and_plank},
          {"boat", "Hulls on shaken grains", "buoyancy", 2.0, boat}};
}

}  // namespace bench
