// Grains that are shaken up and down.
#include "bench/constants.h"
#include "bench/laws/bulk.h"
#include "bench/measure.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Scene;

constexpr double shaken_radius = 0.005,
                 shaken_friction = 0.5;  // m, of a small grain; Coulomb coefficient of all contacts
constexpr double frequency = 10.0;       // Hz
constexpr double settled = 0.8;          // s, until the vessel is shaken

struct Shaking {
  double ratio;         // diameter of the large grain by that of the others
  double acceleration;  // Gamma = A omega^2 / g, of the vessel
  double inner, depth;  // m, radius of the vessel, and depth of the filling at a packing of 0.6
  std::uint64_t seed = 1;
  // By number of oscillations: the height of the large grain's top above the floor by that of the bed.
  Points course;
};

// The first grain is the large one, near the floor.
Scene vessel_scene(const Shaking& shaking, const talus::Solver& solver) {
  Scene scene = bulk_scene(solver, shaken_friction);
  scene.seed = shaking.seed;
  const double loose = 2.0 * shaking.depth, d = 2.0 * shaken_radius, thick = 2.0 * d;
  const double omega = 2.0 * pi * frequency, amplitude = shaking.acceleration * g / (omega * omega);
  const double height = 2.5 * shaking.depth + thick;
  scene.domain.min = glm::dvec3(-1.5 * shaking.inner, -1.5 * shaking.inner, -thick - 0.1);
  scene.domain.max = glm::dvec3(1.5 * shaking.inner, 1.5 * shaking.inner, height);
  // A cup whose floor is at z = 0.
  talus::BodySpec vessel;
  vessel.name = "vessel";
  vessel.material = 0;
  vessel.show = talus::Show::cut;
  const double outer = shaking.inner + thick;
  vessel.parts.push_back(
      {.shape = talus::ConePart{outer, outer, height}, .position = {0.0, 0.0, 0.5 * height - thick}});
  vessel.parts.push_back({.shape = talus::ConePart{shaking.inner, shaking.inner, height},
                          .position = {0.0, 0.0, 0.5 * height},
                          .subtract = true});
  talus::Functions motion;
  motion.position[2].text = fmt::format("t < {0} ? 0 : {1}*sin(2*pi*{2}*(t - {0}))", settled, amplitude, frequency);
  vessel.motion = motion;
  scene.bodies.push_back(vessel);
  const double large = shaking.ratio * shaken_radius;
  scene.materials[0].color = {0.8f, 0.75f, 0.6f};
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "large";
  scene.materials[1].color = {0.75f, 0.2f, 0.08f};
  scene.grains.push_back(group_of(large, talus::PointsFill{{{0.0, 0.0, large + d}}}));
  scene.grains[0].material = 1;
  const double volume = pi * shaking.inner * shaking.inner * shaking.depth;
  scene.grains.push_back(group_of(shaken_radius, talus::CylinderFill{{0.0, 0.0, 0.0}, shaking.inner, loose},
                                  static_cast<unsigned>(0.6 * volume / volume_of(shaken_radius))));
  return scene;
}

// Above the floor, of a bed of even packing with the same centre of mass [m].
double bed_height(const std::vector<talus::GrainState>& grains) {
  double sum = 0.0;
  for (std::size_t k = 1; k < grains.size(); ++k)
    sum += grains[k].position.z;
  return 2.0 * sum / static_cast<double>(grains.size() - 1);
}

// The mean of a course from its last `oscillations` on.
double late(const Points& course, double oscillations) {
  double sum = 0.0, n = 0.0;
  for (const auto& [time, value] : course)
    if (time > course.back().first - oscillations) {
      sum += value;
      ++n;
    }
  return sum / n;
}

// The number of oscillations until the large grain's top is at the height of the bed or above; NaN: never.
double until_surface(const Points& course) {
  const auto reached = std::ranges::find_if(course, [](const auto& point) { return point.second >= 1.0; });
  return reached == course.end() ? NAN : reached->first;
}

Evidence brazil_nut(const LawContext& context) {
  const double d = 2.0 * shaken_radius, inner = context.pick(6.0, 4.0) * d, depth = context.pick(10.0, 6.0) * d;
  const double oscillations = context.pick(80.0, 40.0);
  std::vector<Shaking> kinds{{3.0, 3.0, inner, depth}};
  if (!context.quick)
    kinds = {{2.0, 3.0, inner, depth},    {2.0, 3.0, inner, depth, 2}, {3.0, 3.0, inner, depth},
             {3.0, 3.0, inner, depth, 2}, {3.0, 0.8, inner, depth},    {3.0, 3.0, 2.0 * inner, depth}};
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Shaking> done = for_each_method(kinds, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    Shaking& shaking = done[i];
    Scene scene = vessel_scene(shaking, methods[i / kinds.size()].solver);
    talus::Simulation simulation = simulate(context, scene);
    go_on(simulation, settled);
    std::vector<talus::GrainState> grains;
    const auto look = [&] {  // where the vessel is at z = 0
      grains = simulation.grains();
      shaking.course.emplace_back((simulation.time() - settled) * frequency,
                                  (grains[0].position.z + grains[0].radius) / bed_height(grains));
    };
    look();
    if (!watch(simulation, settled + oscillations / frequency, 1.0 / frequency, look))
      shaking.course.clear();
    if (i == (context.quick ? 0 : 2)) {
      const std::lock_guard lock(mutex);
      scene.end = simulation.time();
      scene.camera.eye = glm::dvec3(0.0, -5.0 * shaking.inner, 3.5 * shaking.depth);
      scene.camera.target = glm::dvec3(0.0, 0.0, 0.7 * shaking.depth);
      evidence.shot = Shot{scene, std::move(grains)};
    }
  });
  Plot plot{"A large grain in a shaken vessel", "oscillations", "height of its top by that of the bed", {}};
  for (std::size_t i = 0; i < done.size(); ++i) {
    Shaking& shaking = done[i];
    const std::string& method = methods[i / kinds.size()].name;
    const std::string by =
        fmt::format("{}, {:g} d, Gamma = {:g}{}{}", method, shaking.ratio, shaking.acceleration,
                    shaking.inner > inner ? ", twice the width" : "", shaking.seed > 1 ? ", another start" : "");
    if (shaking.course.empty())  // the state became invalid, which holds nothing
      shaking.course.emplace_back(0.0, NAN);
    const double end = late(shaking.course, 10.0);
    if (shaking.acceleration > 1.0) {
      evidence.measurements.push_back(at_most("oscillations until the large grain's top is at the surface", by,
                                              until_surface(shaking.course), oscillations));
      evidence.measurements.push_back(
          between("height of the large grain's top by that of the bed, at the end", by, end, 0.95, INFINITY));
    } else {
      evidence.measurements.push_back(at_most("rise of the large grain by the height of the bed", by,
                                              std::abs(end - shaking.course.front().second), 0.05));
    }
    plot.series.push_back({by, std::move(shaking.course)});
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

}  // namespace

std::vector<Law> shaking_laws() {
  return {
      {"brazil_nut", "segregation", "A large grain in a shaken vessel",
       "A cylinder with a radius of 6 grains, filled to 10 grains of 10 mm, friction 0.5 with all, and one grain of "
       "the same density and of two or three times the diameter near the floor. The cylinder is shaken up and down "
       "at 10 Hz with the greatest acceleration Gamma g, in 80 oscillations. The height of the large grain's top "
       "is taken by that of the bed, twice the mean height of the grains, where the cylinder passes its middle.",
       "Rosato, Strandburg, Prinz and Swendsen 1987, Why the Brazil nuts are on top, Physical Review Letters 58, "
       "1038; Knight, Jaeger and Nagel 1993, Vibration-induced size separation in granular media, Physical Review "
       "Letters 70, 3728: a large grain rises to the surface and stays, if the acceleration exceeds that of gravity",
       "Its top comes to the surface within the 80 oscillations. At the end, the mean of the last 10 of them, it is at "
       "the surface or above, or within 5 % of the bed's height; below Gamma = 1 it does not rise by more than 5 % of "
       "it.",
       "Every large grain comes to the surface, where it should. Some are taken down again later, which the "
       "experiments with rough walls did not find; why is not known.",
       2.0, brazil_nut}};
}

}  // namespace bench
