// Grains at rest: a silo's weight, packings, heaps.
#include "bench/constants.h"
#include "bench/laws/bulk.h"
#include "bench/measure.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Method;
using talus::Scene;

// The saturation weight W_s of W_s (1 - exp(-W / W_s)) with the least squares over points (W, F).
double janssen_saturation(const Points& points) {
  double best = NAN, least = INFINITY;
  const double most = points.back().first;
  for (double share = 0.02; share < 4.0; share *= 1.005) {
    const double s = share * most;
    double sum = 0.0;
    for (const auto& [w, f] : points)
      sum += std::pow(s * (1.0 - std::exp(-w / s)) - f, 2);
    if (sum < least) {
      least = sum;
      best = s;
    }
  }
  return best;
}

// A square tube whose floor sinks slowly, so that the walls bear as much as friction lets them.
Evidence janssen(const LawContext& context) {
  const double r = 0.005, width = 0.1, mu = 0.5, packing = 0.6, sinking = 0.01;
  const std::vector<double> heights = context.pick(std::vector{0.5, 1.0, 2.0, 3.0, 4.5, 6.0}, std::vector{0.5, 1.0});
  const std::vector<MethodCase> methods = methods_of_laws(context);
  const double mass = 2500.0 * volume_of(r);
  struct Filling {
    double weight = 0.0, force = NAN;  // N
  };
  const std::uint64_t seeds = context.pick<std::uint64_t>(2, 1);
  const double sinks = context.pick(1.2, 0.6);  // s
  std::vector<Filling> fillings(heights.size() * methods.size() * seeds);
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, fillings.size(), [&](std::size_t i) {
    const double height = heights[i / seeds % heights.size()] * width;
    const auto count = static_cast<unsigned>(packing * width * width * height / volume_of(r));
    Scene scene = bulk_scene(methods[i / seeds / heights.size()].solver, mu);
    scene.seed = 1 + i % seeds;
    const double loose = count * volume_of(r) / (0.3 * width * width);
    scene.domain.axis.fill(talus::Axis::wall);
    scene.domain.min = {0.0, 0.0, -0.1};
    scene.domain.max = {width, width, loose + 10.0 * r};
    talus::BodySpec floor;
    floor.name = "floor";
    floor.material = 0;
    floor.position = {0.5 * width, 0.5 * width, -0.02};
    floor.parts.push_back({.shape = talus::BoxPart{{1.2 * width, 1.2 * width, 0.04}}});
    scene.bodies.push_back(floor);
    scene.grains.push_back(group_of(r, talus::BoxFill{{0.0, 0.0, 0.0}, {width, width, loose}}, count));
    talus::Simulation simulation = simulate(context, scene);
    const double settled = std::sqrt(2.0 * loose / g) + 0.4;
    go_on(simulation, settled);
    simulation.drive_body(0, {{0.0, 0.0, -sinking}, {}});
    double sum = 0.0, steps = 0.0;
    const bool stable = watch(simulation, settled + sinks, scene.dt, [&] {
      if (simulation.time() > settled + 0.3) {
        sum -= simulation.body_loads()[0].force.z;
        ++steps;
      }
    });
    fillings[i].weight = count * mass * g;
    if (stable)
      fillings[i].force = sum / steps;
    if (i + 1 == heights.size() * seeds) {  // the highest of the first method
      const std::lock_guard lock(mutex);
      scene.camera.eye = glm::dvec3(-0.9, -0.9, 0.45);
      scene.camera.target = glm::dvec3(0.05, 0.05, 0.28);
      evidence.shot = Shot{scene, simulation.grains()};
    }
  });
  Plot plot{"Weight on the floor of a tube", "weight of the filling [N]", "force on the floor [N]", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Points points;
    for (std::size_t k = 0; k < heights.size(); ++k)
      for (std::uint64_t s = 0; s < seeds; ++s)
        points.emplace_back(fillings[(m * heights.size() + k) * seeds + s].weight,
                            fillings[(m * heights.size() + k) * seeds + s].force);
    Points means;
    for (std::size_t k = 0; k < points.size(); k += seeds) {
      means.emplace_back(points[k].first, 0.0);
      for (std::uint64_t s = 0; s < seeds; ++s)
        means.back().second += points[k + s].second / static_cast<double>(seeds);
    }
    const double saturation = janssen_saturation(points);
    double off = 0.0;
    Series law{"Janssen, W_s of " + methods[m].name, {}};
    for (double w = 0.0; w <= points.back().first; w += points.back().first / 50.0)
      law.points.emplace_back(w, saturation * (1.0 - std::exp(-w / saturation)));
    for (const auto& [w, f] : means)
      off = std::max(off, std::abs(f / (saturation * (1.0 - std::exp(-w / saturation))) - 1.0));
    // The ratio of stresses that it stands for: W_s = rho g A D / (4 mu K), rho that of the bulk.
    const double k = packing * 2500.0 * g * std::pow(width, 3) / (4.0 * mu * saturation);
    const std::string& by = methods[m].name;
    evidence.measurements.push_back(at_most("greatest deviation from the law", by, off, 0.1));
    evidence.measurements.push_back(at_most("force under the highest filling by that under the next", by,
                                            means.back().second / means[means.size() - 2].second, 1.05));
    evidence.measurements.push_back(between("K, pressure across by that along", by, k, 0.45, 1.0));
    plot.series.push_back({by, std::move(points), "points"});
    plot.series.push_back(std::move(law));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Beds by friction: how dense, and on how many contacts.
Evidence packing(const LawContext& context) {
  const double r = 0.005, edge = 0.12;
  const unsigned count = context.pick(4000u, 600u);
  const std::vector<double> frictions = context.pick(std::vector{0.0, 0.1, 0.2, 0.3, 0.5, 1.0}, std::vector{0.0, 0.5});
  const std::vector<MethodCase> methods = methods_of_laws(context);
  struct Bed {
    double packing = NAN, contacts = NAN;
  };
  std::vector<Bed> beds(frictions.size() * methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, beds.size(), [&](std::size_t i) {
    Scene scene = bulk_scene(methods[i / frictions.size()].solver, frictions[i % frictions.size()]);
    scene.solver.overlap = 0.001;
    scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::wall};
    const double loose = count * volume_of(r) / (0.3 * edge * edge);
    scene.domain.min = {0.0, 0.0, 0.0};
    scene.domain.max = {edge, edge, loose + 10.0 * r};
    scene.grains.push_back(group_of(r, talus::BoxFill{{0.0, 0.0, 0.0}, {edge, edge, loose}}, count));
    talus::Simulation simulation = simulate(context, scene);
    if (!go_on(simulation, 1.5))
      return;
    const std::vector<talus::GrainState> grains = simulation.grains();
    const double height = simulation.measure().height;
    beds[i] = {
        packing_fraction(grains, {2.0 * r, 2.0 * r, 0.2 * height}, {edge - 2.0 * r, edge - 2.0 * r, 0.7 * height}),
        coordination(grains, scene.domain, 0.2 * height, 0.7 * height)};
    if (i == 0) {
      const std::lock_guard lock(mutex);
      scene.output.color_by = talus::ColorBy::id;
      evidence.shot = Shot{scene, grains};
    }
  });
  Plot dense{"Packing by friction", "friction", "packing", {}},
      touching{"Coordination by friction", "friction", "contacts of a grain", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Series packings{methods[m].name, {}, "linespoints"}, contacts = packings;
    double rises = 0.0;  // of either, from one friction to the next
    for (std::size_t k = 0; k < frictions.size(); ++k) {
      const Bed& bed = beds[m * frictions.size() + k];
      if (k > 0) {
        const Bed& last = beds[m * frictions.size() + k - 1];
        rises = std::max({rises, bed.packing / last.packing - 1.0, bed.contacts / last.contacts - 1.0});
      }
      packings.points.emplace_back(frictions[k], bed.packing);
      contacts.points.emplace_back(frictions[k], bed.contacts);
    }
    const Bed &smooth = beds[m * frictions.size()], &rough = beds[(m + 1) * frictions.size() - 1];
    const std::string& by = methods[m].name;
    const std::string most = fmt::format(" at friction {:g}", frictions.back());
    evidence.measurements.push_back(between("packing without friction", by, smooth.packing, 0.63, 0.645));
    evidence.measurements.push_back(between("contacts without friction", by, smooth.contacts, 5.9, 6.3));
    evidence.measurements.push_back(between("packing" + most, by, rough.packing, 0.55, 0.60));
    evidence.measurements.push_back(between("contacts" + most, by, rough.contacts, 4.0, 5.2));
    evidence.measurements.push_back(at_most("greatest rise of either with friction, relative", by, rises, 0.01));
    dense.series.push_back(std::move(packings));
    touching.series.push_back(std::move(contacts));
  }
  evidence.plots = {std::move(dense), std::move(touching)};
  return evidence;
}

// The angle of the cone with the moments of the grains above the first layer [degrees].
double cone_angle(const std::vector<talus::GrainState>& grains, double r) {
  glm::dvec3 mean(0.0);
  double rho2 = 0.0, count = 0.0;
  for (const talus::GrainState& grain : grains)
    if (grain.position.z > 2.0 * r) {
      mean += glm::dvec3(grain.position);
      ++count;
    }
  mean /= count;
  for (const talus::GrainState& grain : grains)
    if (grain.position.z > 2.0 * r)
      rho2 += std::pow(grain.position.x - mean.x, 2) + std::pow(grain.position.y - mean.y, 2);
  return std::atan(4.0 * (mean.z - 2.0 * r) / std::sqrt(rho2 / count * 10.0 / 3.0)) * 180.0 / pi;
}

// A tube of 12 radii with 1500 grains is lifted by 0.1 m/s from a rough floor.
Evidence repose(const LawContext& context) {
  const double r = 0.005, inner = 12.0 * r, half = 40.0 * r;
  const unsigned count = context.pick(1500u, 300u);
  struct Pair {
    double friction, rolling;
    double low, high;  // degrees, of LAMMPS; none
  };
  const std::vector<Pair> pairs = context.pick(
      std::vector<Pair>{{0.3, 0.0, 17.2, 17.4}, {0.5, 0.0, NAN, NAN}, {0.5, 0.1, 22.7, 22.9}, {0.5, 0.3, NAN, NAN}},
      std::vector<Pair>{{0.5, 0.0, NAN, NAN}, {0.5, 0.1, 22.7, 22.9}});
  const std::vector<MethodCase> methods = methods_of_laws(context);
  const std::uint64_t seeds = context.pick<std::uint64_t>(2, 1);
  std::vector<double> angles(pairs.size() * methods.size() * seeds, NAN);
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, angles.size(), [&](std::size_t i) {
    const Pair& pair = pairs[i / seeds % pairs.size()];
    const MethodCase& method = methods[i / seeds / pairs.size()];
    // The floor of grains that a scene file gets by domain.rough; its grains come first.
    Scene scene = talus::parse_scene(
        fmt::format("[domain]\nmin = [{0}, {0}, 0]\nmax = [{1}, {1}, {2}]\nrough = true\n[[material]]\nname = \"m\"\n"
                    "[[grains]]\nmaterial = \"m\"\nradius = {3}\nfill.points = [[0, 0, {4}]]\n",
                    -half, half, 100.0 * r, r, 90.0 * r),
        "bench");
    const Scene bulk = bulk_scene(method.solver, pair.friction, pair.rolling);
    scene.solver = bulk.solver;
    scene.materials = bulk.materials;
    scene.dt = bulk.dt;
    scene.end = bulk.end;
    scene.seed = 1 + i % seeds;
    const double floor = 2.25 * r, bottom = 3.1 * r, loose = count * volume_of(r) / (0.3 * pi * inner * inner);
    const double half_length = 0.5 * loose + 4.0 * r, settled = 1.0, rate = 0.1;
    scene.bodies.push_back(hollow_cylinder("tube", inner, half_length, {}));
    scene.bodies[0].position.z = bottom + half_length;
    scene.domain.max.z = bottom + loose + 12.0 * r;
    talus::GrainGroup& group = scene.grains.back();
    group.shape = talus::CylinderFill{{0.0, 0.0, bottom}, inner, loose};
    group.count = count;
    const std::size_t base = talus::populate(scene).initial.size() - count;
    talus::Simulation simulation = simulate(context, scene);
    go_on(simulation, settled);
    simulation.drive_body(0, {{0.0, 0.0, rate}, {}});
    if (!go_on(simulation, settled + 3.5))
      return;
    std::vector<talus::GrainState> heap = simulation.grains();
    const std::vector<talus::GrainState> all = heap;
    std::erase_if(heap, [&](const talus::GrainState& grain) { return grain.id < base; });
    for (talus::GrainState& grain : heap)
      grain.position.z -= static_cast<float>(floor);
    angles[i] = cone_angle(heap, r);
    if (method.name == "dem" && pair.rolling == 0.1 && i % seeds == 0) {
      const std::lock_guard lock(mutex);
      scene.bodies[0].show = talus::Show::hidden;
      scene.camera.eye = glm::dvec3(0.0, -0.42, 0.2);
      scene.camera.target = glm::dvec3(0.0, 0.0, 0.03);
      evidence.shot = Shot{scene, all};
    }
  });
  Plot plot{"Heaps of a lifted tube", "rolling friction", "angle [deg]", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Series series{methods[m].name + ", friction 0.5", {}, "linespoints"};
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      double mean = 0.0;
      for (std::uint64_t s = 0; s < seeds; ++s)
        mean += angles[(m * pairs.size() + p) * seeds + s] / static_cast<double>(seeds);
      const Pair& pair = pairs[p];
      if (pair.friction == 0.5)
        series.points.emplace_back(pair.rolling, mean);
      if (std::isfinite(pair.low))
        evidence.measurements.push_back(
            between(fmt::format("angle at friction {:g}, rolling friction {:g} [deg]", pair.friction, pair.rolling),
                    methods[m].name, mean, pair.low - 1.0, pair.high + 1.0));
    }
    double step = INFINITY;  // by which the angle rises from one rolling friction to the next
    for (std::size_t k = 1; k < series.points.size(); ++k)
      step = std::min(step, series.points[k].second - series.points[k - 1].second);
    if (series.points.size() > 1)
      evidence.measurements.push_back(
          between("least rise of the angle with rolling friction [deg]", methods[m].name, step, 0.0, INFINITY));
    plot.series.push_back(std::move(series));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

}  // namespace

std::vector<Law> static_laws() {
  const std::string group = "grains at rest";
  return {{"janssen", group, "Janssen's saturation in a tube",
           "A square tube, 10 grains wide, filled half a width to six widths high; friction 0.5 among grains and with "
           "walls. The floor sinks by "
           "10 mm/s, and the force on it is the mean from 0.3 to 1.2 s, of two starts.",
           "Janssen 1895: F = W_s (1 - exp(-W/W_s)), W_s = rho g A D/(4 mu K); the walls bear what friction lets them "
           "where grains move down "
           "(Ovarlez, Fond and Clement 2003)",
           "10 % of the law with W_s by least squares; saturation within 5 %; K from 0.45 (sand, EN 1991-4) to 1 (a "
           "fluid).",
           "", 0.6, janssen},
          {"packing", group, "Packing and coordination by friction",
           "Grains rain into a box with periodic sides, 12 grains wide and some 20 deep; mean overlap 0.001 radii. "
           "Contacts are those of grains "
           "that have two or more.",
           "Random close packing 0.64 and isostatic 6 contacts without friction, 0.55 and 4 in the limit of great "
           "friction: Silbert 2010, Jamming of "
           "frictional spheres and random loose packing, Soft Matter 6, 2918",
           "Without friction 0.63 to 0.645, 5.9 to 6.3. With friction what rains down is denser than the loosest "
           "packing (Silbert et al. 2002): up to 0.60 and 5.2. "
           "Neither rises with friction, but for 1 % of noise.",
           "", 0.8, packing},
          {"repose", group, "Angle of repose by rolling friction",
           "A tube of 12 radii with 1500 grains is lifted by 0.1 m/s from a rough floor; the angle of the cone with "
           "the same moments, two starts.",
           "LAMMPS with equal springs and the same protocol (bench/README.md): 17.3 +- 0.1 and 22.8 +- 0.1 degrees",
           "1 degree beyond the starts of LAMMPS.",
           "The substeps are those that Talus chooses; with LAMMPS's springs dem gave 17.2 +- 0.7 and 22.0 +- 0.6 "
           "degrees (bench/README.md).",
           0.5, repose}};
}

}  // namespace bench
