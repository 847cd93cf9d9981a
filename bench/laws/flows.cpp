// Grains that flow: down a slope, in a drum, from a column, and as a gas.
#include "bench/constants.h"
#include "bench/laws/bulk.h"
#include "bench/measure.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Method;
using talus::Scene;

// A column that stood in a tube which is gone.
Evidence collapse(const LawContext& context) {
  const double r = 0.005, mu = 0.5, rolling = 0.1;
  const unsigned count = context.pick(8000u, 600u);
  const std::vector<double> aspects = context.pick(std::vector{0.5, 0.8, 1.2, 2.5, 4.0, 7.0}, std::vector{0.8, 2.5});
  std::vector<std::vector<glm::dvec3>> columns(aspects.size());
  std::vector<double> inner(aspects.size()), actual(aspects.size());
  in_parallel(context, aspects.size(), [&](std::size_t k) {
    inner[k] = std::cbrt(count * volume_of(r) / (0.6 * pi * aspects[k]));
    columns[k] = settled_in(context, tube_scene(count, r, inner[k], mu, rolling));
    double height = 0.0;
    for (const glm::dvec3& p : columns[k])
      height += 2.0 * p.z / static_cast<double>(columns[k].size());
    actual[k] = height / inner[k];
  });
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<double> run_outs(methods.size() * aspects.size(), NAN);
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, run_outs.size(), [&](std::size_t i) {
    const std::size_t k = i % aspects.size();
    Scene scene = bulk_scene(methods[i / aspects.size()].solver, mu, rolling);
    scene.domain.rolling_friction = 0.5;
    const double reach = 6.0 * inner[k];
    scene.domain.min = {-reach, -reach, 0.0};
    scene.domain.max = {reach, reach, 1.5 * actual[k] * inner[k]};
    add_points(scene, r, columns[k]);
    talus::Simulation simulation = simulate(context, scene);
    if (!go_on(simulation, 1.5))
      return;
    const std::vector<talus::GrainState> grains = simulation.grains();
    run_outs[i] = fit_heap(grains).radius / inner[k] - 1.0;
    if (i + 1 == aspects.size()) {
      const std::lock_guard lock(mutex);
      Scene tube = tube_scene(count, r, inner[k], mu, rolling);
      tube.bodies[0].show = talus::Show::hidden;
      tube.camera.eye = glm::dvec3(0.0, -9.0, 5.0) * inner[k];
      tube.camera.target = glm::dvec3(0.0);
      evidence.shot = Shot{tube, grains};
    }
  });
  Plot plot{"Collapse of a column", "a = height / radius", "run-out (r - r0) / r0", {}, true, true};
  Series law{"Lube et al. 2004", {}};
  for (double a = 0.4; a < 9.0; a *= 1.1)
    law.points.emplace_back(a, lube_run_out(a));
  plot.series.push_back(std::move(law));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Series series{methods[m].name, {}, "linespoints"};
    Points flat, tall;
    double off = 0.0;
    for (std::size_t k = 0; k < aspects.size(); ++k) {
      const double out = run_outs[m * aspects.size() + k];
      series.points.emplace_back(actual[k], out);
      (actual[k] < 1.7 ? flat : tall).emplace_back(std::log(actual[k]), std::log(out));
      off = std::max(off, std::abs(out / lube_run_out(actual[k]) - 1.0));
    }
    if (flat.size() > 1 && tall.size() > 1) {
      evidence.measurements.push_back(near("power of a below 1.7", methods[m].name, fit_line(flat).slope, 1.0, 0.2));
      evidence.measurements.push_back(near("power of a above 1.7", methods[m].name, fit_line(tall).slope, 0.5, 0.3));
    }
    evidence.measurements.push_back(at_most("greatest deviation of the run-out", methods[m].name, off, 0.25));
    plot.series.push_back(std::move(series));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// A layer that flows down a rough plane.
Evidence slope(const LawContext& context) {
  const double r = 0.005, d = 2.0 * r, mu = 0.5, length = context.pick(0.12, 0.08), width = context.pick(0.08, 0.06);
  const std::vector<double> angles = context.pick(std::vector{21.0, 23.0, 25.0}, std::vector{24.0});
  const double layers = context.pick(16.0, 10.0), end = context.pick(6.0, 3.0), from = context.pick(4.5, 2.0);
  const auto count = static_cast<unsigned>(0.58 * length * width * layers * d / volume_of(r));
  // Jop, Forterre and Pouliquen 2006, glass beads.
  const auto mu_of = [](double inertial) { return 0.382 + (0.643 - 0.382) / (1.0 + 0.279 / inertial); };
  const std::vector<MethodCase> methods = methods_of_laws(context);
  struct Flow {
    double inertial = NAN, fit = NAN, packing = NAN;
    Points profile;  // height / depth, speed / sqrt(g d)
    Points bagnold;
  };
  std::vector<Flow> flows(angles.size() * methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, flows.size(), [&](std::size_t i) {
    Flow& flow = flows[i];
    const double angle = angles[i % angles.size()] * degree;
    Scene scene = bulk_scene(methods[i / angles.size()].solver, mu);
    const double base = 1.5 * d, loose = count * volume_of(r) / (0.3 * length * width);
    scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::wall};
    scene.domain.min = {0.0, 0.0, 0.0};
    scene.domain.max = {length, width, base + loose + 10.0 * d};
    scene.domain.gravity = {g * std::sin(angle), 0.0, -g * std::cos(angle)};
    scene.grains.push_back(group_of(r, talus::BoxFill{{0.0, 0.0, 0.0}, {length, width, base + r}}));
    scene.grains[0].fixed = true;
    scene.grains.push_back(group_of(r, talus::BoxFill{{0.0, 0.0, base + r}, {length, width, base + r + loose}}, count));
    scene.grains[1].velocity = {0.5, 0.0, 0.0};
    const std::size_t fixed = talus::populate(scene).initial.size() - count;
    talus::Simulation simulation = simulate(context, scene);
    const std::size_t bins = static_cast<std::size_t>(2.0 * layers);
    std::vector<double> speed(bins, 0.0), grains_in(bins, 0.0);
    double height = 0.0, samples = 0.0;
    const bool stable = watch(simulation, end, 0.05, [&] {
      if (simulation.time() < from)
        return;
      ++samples;
      double mean = 0.0;
      for (const talus::GrainState& grain : simulation.grains()) {
        if (grain.id < fixed)
          continue;
        const double z = grain.position.z - base;
        mean += z / count;
        if (const double bin = z / d; bin >= 0.0 && bin < static_cast<double>(bins)) {
          speed[static_cast<std::size_t>(bin)] += grain.velocity.x;
          ++grains_in[static_cast<std::size_t>(bin)];
        }
      }
      height += 2.0 * mean;
    });
    if (!stable || samples == 0.0)
      return;
    height /= samples;
    // v = v_0 + A s, s = 1 - (1 - z/h)^1.5, from a quarter to three quarters of the depth (Bagnold).
    Points points;
    double inside = 0.0, bins_inside = 0.0;
    for (std::size_t b = 0; b < bins; ++b) {
      const double z = (static_cast<double>(b) + 0.5) * d / height;
      if (grains_in[b] < 20.0 * samples * 0.1 || z > 1.05)
        continue;
      const double v = speed[b] / grains_in[b];
      flow.profile.emplace_back(v / std::sqrt(g * d), z);
      if (z > 0.25 && z < 0.75) {
        points.emplace_back(1.0 - std::pow(1.0 - z, 1.5), v);
        inside += grains_in[b] / samples;
        ++bins_inside;
      }
    }
    if (points.size() < 3)
      return;
    const Line line = fit_line(points);
    double mean = 0.0, residual = 0.0, total = 0.0;
    for (const auto& point : points)
      mean += point.second / static_cast<double>(points.size());
    for (const auto& [s, v] : points) {
      residual += std::pow(v - line.offset - line.slope * s, 2);
      total += std::pow(v - mean, 2);
    }
    flow.fit = 1.0 - residual / total;
    flow.packing = inside * volume_of(r) / (bins_inside * d * length * width);
    // I = d (dv/dz) / sqrt(P / rho), P = packing rho g cos(a) (h - z): the same at every height of such a profile.
    flow.inertial = 1.5 * line.slope * d / (height * std::sqrt(flow.packing * g * std::cos(angle) * height));
    for (double z = 0.0; z <= 1.0; z += 0.02)
      flow.bagnold.emplace_back((line.offset + line.slope * (1.0 - std::pow(1.0 - z, 1.5))) / std::sqrt(g * d), z);
    if (i + 1 == angles.size()) {
      const std::lock_guard lock(mutex);
      scene.output.color_by = talus::ColorBy::speed;
      scene.camera.eye = glm::dvec3(0.08, -0.55, 0.3);
      scene.camera.target = glm::dvec3(0.08, 0.05, 0.12);
      evidence.shot = Shot{scene, simulation.grains()};
    }
  });
  Plot law{"Friction of a flow by its inertial number", "I", "tan a", {}},
      profiles{"Speed in a flow down a slope", "speed / sqrt(g d)", "height / depth", {}};
  Series jop{"Jop et al. 2006", {}};
  for (double x = 0.005; x < 0.5; x += 0.005)
    jop.points.emplace_back(x, mu_of(x));
  law.series.push_back(std::move(jop));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Series series{methods[m].name, {}, "linespoints"};
    for (std::size_t k = 0; k < angles.size(); ++k) {
      Flow& flow = flows[m * angles.size() + k];
      const double tangent = std::tan(angles[k] * degree);
      const std::string by = fmt::format("{}, {:g} deg", methods[m].name, angles[k]);
      series.points.emplace_back(flow.inertial, tangent);
      evidence.measurements.push_back(
          near("tan a beside mu(I) at the I that was measured", by, tangent, mu_of(flow.inertial), 0.1));
      evidence.measurements.push_back(between("share of the profile that Bagnold's explains", by, flow.fit, 0.98, 1.0));
      evidence.measurements.push_back(between("packing of the flow", by, flow.packing, 0.54, 0.60));
      profiles.series.push_back({by, std::move(flow.profile), "points"});
      profiles.series.push_back({"Bagnold, " + by, std::move(flow.bagnold)});
    }
    law.series.push_back(std::move(series));
  }
  evidence.plots = {std::move(law), std::move(profiles)};
  return evidence;
}

// Half a drum of grains, that turns about y at this Froude number.
struct Drum {
  double froude, gravity, length, radius = 0.15;
  double rate() const { return std::sqrt(froude * gravity / radius); }  // rad/s
};
Scene drum_scene(const Drum& drum, const talus::Solver& solver, const std::vector<double>& radii) {
  Scene scene = bulk_scene(solver, 0.5, 0.1);
  scene.domain.axis = {talus::Axis::open, talus::Axis::periodic, talus::Axis::open};
  scene.domain.min = {-drum.radius, 0.0, -drum.radius};
  scene.domain.max = {drum.radius, drum.length, drum.radius};
  scene.domain.gravity = {0.0, 0.0, -drum.gravity};
  scene.bodies.push_back(hollow_cylinder("drum", drum.radius, 1.5 * drum.length, {90.0, 0.0, 0.0}));
  scene.bodies[0].position.y = 0.5 * drum.length;
  scene.materials.push_back({.name = "drum", .friction_static = 2.0, .friction_kinetic = 2.0});
  scene.bodies[0].material = 1;
  // Ribs, so that the filling does not slip as a whole.
  constexpr int ribs = 24;
  for (int k = 0; k < ribs; ++k) {
    const double a = 2.0 * pi * k / ribs, r = radii.back();
    scene.bodies[0].parts.push_back({.shape = talus::ConePart{r, r, 3.0 * drum.length},
                                     .position = {drum.radius * std::cos(a), 0.0, drum.radius * std::sin(a)},
                                     .rotation = {90.0, 0.0, 0.0}});
  }
  const double solid = 0.25 * pi * drum.radius * drum.radius * drum.length;  // m3: half full at a packing of 0.5..0.6
  for (const double r : radii) {
    const double within = drum.radius - 2.0 * radii.back();
    const talus::SolidFill fill{{{.shape = talus::ConePart{within, within, drum.length},
                                  .position = {0.0, 0.5 * drum.length, 0.0},
                                  .rotation = {90.0, 0.0, 0.0}}}};
    scene.grains.push_back(
        group_of(r, fill, static_cast<unsigned>(solid / static_cast<double>(radii.size()) / volume_of(r))));
  }
  return scene;
}

// The slope of the surface in the middle half of a drum [degrees]: of the highest grains in each bin of two grains.
double surface_slope(const std::vector<talus::GrainState>& grains, double radius) {
  constexpr int bins = 12;
  std::array<double, bins> tops;
  tops.fill(-INFINITY);
  for (const talus::GrainState& grain : grains)
    if (const double place = (grain.position.x / radius + 0.5) * bins; place >= 0.0 && place < bins) {
      double& top = tops[static_cast<std::size_t>(place)];
      top = std::max(top, static_cast<double>(grain.position.z));
    }
  Points points;
  for (int k = 0; k < bins; ++k)
    if (std::isfinite(tops[static_cast<std::size_t>(k)]))
      points.emplace_back(((k + 0.5) / bins - 0.5) * radius, tops[static_cast<std::size_t>(k)]);
  return std::atan(std::abs(fit_line(points).slope)) / degree;
}

Evidence drum_angle(const LawContext& context) {
  const double r = context.pick(0.005, 0.008);
  const std::vector<double> froudes = context.pick(std::vector{0.002, 0.01, 0.05, 0.1}, std::vector{0.05});
  const std::vector<double> gravities = context.pick(std::vector{9.81, 3.71, 1.62}, std::vector{9.81});
  const std::vector<MethodCase> methods = methods_of_laws(context);
  const std::size_t each =
      froudes.size() + gravities.size() - 1;  // the last Froude number but one at the other gravities
  const std::size_t shared = froudes.size() > 1 ? froudes.size() - 2 : 0;
  std::vector<double> slopes(methods.size() * each, NAN), scatter(slopes);
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, slopes.size(), [&](std::size_t i) {
    const std::size_t k = i % each;
    const Drum drum{k < froudes.size() ? froudes[k] : froudes[shared],
                    k < froudes.size() ? gravities[0] : gravities[k - froudes.size() + 1], 12.5 * r};
    Scene scene = drum_scene(drum, methods[i / each].solver, {r});
    const double pace = std::sqrt(9.81 / drum.gravity);
    scene.dt *= pace;  // the same motion, slower
    talus::Simulation simulation = simulate(context, scene);
    go_on(simulation, 0.4 * pace);
    simulation.drive_body(0, {{}, {0.0, -drum.rate(), 0.0}});
    const double start = simulation.time(), from = start + context.pick(1.5, 1.0) / drum.rate(),
                 end = start + context.pick(3.5, 1.5) / drum.rate();
    Points found;
    const bool stable = watch(simulation, end, 0.05 / drum.rate(), [&] {
      if (simulation.time() > from)
        found.emplace_back(simulation.time(), surface_slope(simulation.grains(), drum.radius));
    });
    if (!stable)
      return;
    double sum = 0.0, squares = 0.0;
    for (const auto& point : found)
      sum += point.second;
    slopes[i] = sum / static_cast<double>(found.size());
    for (const auto& point : found)
      squares += std::pow(point.second - slopes[i], 2);
    scatter[i] = std::sqrt(squares / static_cast<double>(found.size()));
    if (i + 1 == froudes.size()) {
      const std::lock_guard lock(mutex);
      scene.output.color_by = talus::ColorBy::speed;
      scene.camera.eye = glm::dvec3(0.0, -0.55, 0.05);
      scene.camera.target = glm::dvec3(0.0, 0.04, 0.0);
      evidence.shot = Shot{scene, simulation.grains()};
    }
  });
  Plot plot{"Slope in a drum", "Froude number", "slope [deg]", {}, true};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Series series{methods[m].name, {}, "linespoints"};
    const auto own = std::span(slopes).subspan(m * each, each);
    double rise = INFINITY, apart = 0.0;
    for (std::size_t k = 0; k < froudes.size(); ++k) {
      series.points.emplace_back(froudes[k], own[k]);
      if (k > 0)
        rise = std::min(rise, own[k] - own[k - 1]);
    }
    const std::string& by = methods[m].name;
    if (froudes.size() > 1) {
      evidence.measurements.push_back(
          between("least rise of the slope with the Froude number [deg]", by, rise, 0.0, INFINITY));
      Series others{by + ", less gravity", {}, "points"};
      for (std::size_t k = froudes.size(); k < each; ++k) {
        apart = std::max(apart, std::abs(own[k] - own[shared]));
        others.points.emplace_back(froudes[shared], own[k]);
      }
      evidence.measurements.push_back(
          at_most("slopes at three gravities and one Froude number apart [deg]", by, apart, 1.5));
      plot.series.push_back(std::move(others));
    }
    evidence.measurements.push_back(
        between(fmt::format("slope at Froude number {:g} [deg]", froudes[shared]), by, own[shared], 25.0, 45.0));
    plot.series.push_back(std::move(series));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Grains of two sizes, equally much of each, in a drum.
Evidence segregation(const LawContext& context) {
  const std::vector<double> radii{context.pick(0.0035, 0.005), context.pick(0.007, 0.01)};
  const double turns = context.pick(3.0, 0.3);
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Points> courses(methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, methods.size(), [&](std::size_t m) {
    const Drum drum{0.05, g, 12.5 * radii.back()};
    Scene scene = drum_scene(drum, methods[m].solver, radii);
    scene.materials.push_back(scene.materials[0]);
    scene.materials[2].name = "large";
    scene.materials[0].color = {0.75f, 0.25f, 0.1f};
    scene.materials[2].color = {0.8f, 0.75f, 0.6f};
    scene.grains[1].material = 2;
    const std::size_t small = *scene.grains[0].count;
    std::swap(scene.grains[0], scene.grains[1]);  // the large ones find their places first
    const std::size_t large = *scene.grains[0].count;
    talus::Simulation simulation = simulate(context, scene);
    go_on(simulation, 0.4);
    simulation.drive_body(0, {{}, {0.0, -drum.rate(), 0.0}});
    const double start = simulation.time(), once = 2.0 * pi / drum.rate();
    watch(simulation, start + turns * once, 0.05 * once, [&] {
      // How much nearer to the middle of all grains the small ones are, in the mean distance of all.
      const std::vector<talus::GrainState> grains = simulation.grains();
      glm::dvec2 middle(0.0);
      double mass = 0.0;
      for (const talus::GrainState& grain : grains) {
        const double weight = std::pow(grain.radius, 3);
        middle += weight * glm::dvec2(grain.position.x, grain.position.z);
        mass += weight;
      }
      middle /= mass;
      double of_small = 0.0, of_large = 0.0;
      for (const talus::GrainState& grain : grains)
        (grain.id < large ? of_large : of_small) +=
            glm::length(glm::dvec2(grain.position.x, grain.position.z) - middle);
      of_small /= static_cast<double>(small);
      of_large /= static_cast<double>(large);
      courses[m].emplace_back((simulation.time() - start) / once, 2.0 * (of_large - of_small) / (of_large + of_small));
    });
    if (m == 0) {
      const std::lock_guard lock(mutex);
      scene.camera.eye = glm::dvec3(0.0, -0.55, 0.05);
      scene.camera.target = glm::dvec3(0.0, 0.025, 0.0);
      evidence.shot = Shot{scene, simulation.grains()};
    }
  });
  Plot plot{"Two sizes in a drum", "turns", "how much nearer to the core small grains are", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    double late = 0.0, n = 0.0;
    for (const auto& [turn, index] : courses[m])
      if (turn > turns - 1.0) {
        late += index;
        ++n;
      }
    evidence.measurements.push_back(
        between("how much nearer to the core small grains are in the last turn", methods[m].name, late / n, 0.1, 1.0));
    plot.series.push_back({methods[m].name, std::move(courses[m])});
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Smooth grains without gravity.
Evidence cooling(const LawContext& context) {
  const double r = 0.005, filled = 0.05, e = 0.9;
  const unsigned count = context.pick(1728u, 216u);
  const double volume = count * volume_of(r) / filled, edge = std::cbrt(volume);
  const double from = 0.5, end = context.pick(6.0, 1.5);
  const double chi = (1.0 - 0.5 * filled) / std::pow(1.0 - filled, 3);
  // dT/dt = -4/3 sqrt(pi) (1 - e^2) n d^2 chi T^1.5, T = <v^2>/3, so that T^-1/2 rises by half of that.
  const double rate = 2.0 / 3.0 * std::sqrt(pi) * (1.0 - e * e) * count / volume * 4.0 * r * r * chi;
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Points> courses(methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, methods.size(), [&](std::size_t m) {
    Scene scene = bulk_scene(methods[m].solver, 0.0);
    scene.solver.rotation = false;
    scene.solver.substeps = 8;
    scene.materials[0].restitution = e;
    scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::periodic};
    scene.domain.gravity = {};
    scene.domain.min = glm::dvec3(-0.5 * edge);
    scene.domain.max = glm::dvec3(0.5 * edge);
    scene.grains.push_back(group_of(r, talus::BoxFill{scene.domain.min, scene.domain.max}, count));
    scene.grains[0].velocity_random = 0.5;
    talus::Simulation simulation = simulate(context, scene);
    watch(simulation, end, 0.05, [&] {
      if (simulation.time() > from)
        courses[m].emplace_back(simulation.time(), 1.0 / std::sqrt(std::pow(speed_rms(simulation.grains()), 2) / 3.0));
    });
    if (m == 0) {
      const std::lock_guard lock(mutex);
      scene.output.color_by = talus::ColorBy::speed;
      evidence.shot = Shot{scene, simulation.grains()};
    }
  });
  Plot plot{"A gas of grains cools", "time [s]", "T^-1/2 [s/m]", {}};
  Series law{"Haff", {}};
  const auto [t0, y0] = courses[0].front();
  for (double t = t0; t <= end; t += 0.1)
    law.points.emplace_back(t, y0 + rate * (t - t0));
  plot.series.push_back(std::move(law));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    evidence.measurements.push_back(
        near("rise of T^-1/2 [1/m]", methods[m].name, fit_line(courses[m]).slope, rate, 0.05));
    plot.series.push_back({methods[m].name, std::move(courses[m])});
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

}  // namespace

std::vector<Law> flow_laws() {
  const std::string group = "flows";
  return {
      {"collapse", group, "Collapse of a column",
       "8000 grains that have settled in a tube of 6 to 15 grains' radius, without the tube; friction 0.5, rolling "
       "friction 0.1, on a floor with rolling friction 0.5.",
       "Lube, Huppert, Sparks and Hallworth 2004: run-out 1.24 a below a = 1.7 and 1.6 sqrt(a) above",
       "25 % of the run-out, since a column's radius is 6 to 15 grains here and about 100 there; 0.2 and 0.15 of the "
       "powers.",
       "", 1.0, collapse},
      {"slope", group, "Friction of a flow down a rough plane",
       "A layer of about 16 grains on fixed grains, periodic along and across, friction 0.5, under 21, 23 and 25 "
       "degrees from 4.5 to 6 s. The speed by "
       "height, its Bagnold profile by least squares, and from that the inertial number I.",
       "Jop, Forterre and Pouliquen 2006: mu(I) = mu_s + (mu_2 - mu_s)/(1 + I_0/I) with tan 20.9, tan 32.76 and 0.279; "
       "Silbert et al. 2001 for the profile and the packing",
       "10 % of mu, by which materials differ (GDR MiDi 2004).",
       "The curve is that of glass beads; these spheres, with friction 0.5 and no rolling friction, flow a little more "
       "easily at every I.",
       0.8, slope},
      {"drum_angle", group, "Slope in a drum by its Froude number",
       "A drum of 15 grains' radius with ribs, half full, friction 0.5, rolling friction 0.1, at Froude numbers from "
       "0.002 to 0.1, and at 0.05 with the "
       "gravity of Mars and of the Moon; the slope of the surface's middle half.",
       "Brucks, Arndt, Ottino and Lueptow 2007: the slope rises with the Froude number and depends on gravity through "
       "it alone",
       "1.5 degrees between gravities, the scatter of their figures; slopes from 25 to 45 degrees.", "", 1.8,
       drum_angle},
      {"segregation", group, "Two sizes in a drum",
       "Grains of 7 and 14 mm, equally much of each, in three turns at a Froude number of 0.05.",
       "Radial segregation: small grains gather in the core within a few turns (Clement, Rajchenbach and Duran 1995)",
       "Small grains are nearer to the middle by 10 % of the mean distance: a core of half the volume would be by some "
       "40 %, a mixture by 0.",
       "", 1.0, segregation},
      {"cooling", group, "A gas of grains cools",
       "1728 smooth grains without gravity, a twentieth of the volume, restitution 0.9, from 0.5 to 6 s.",
       "Haff 1983, with the collision rate of Enskog: T^-1/2 rises by 2/3 sqrt(pi) (1 - e^2) n d^2 chi a second",
       "5 %: restitution is met to 0.005, which is 4 % of 1 - e^2.", "", 0.1, cooling}};
}

}  // namespace bench
