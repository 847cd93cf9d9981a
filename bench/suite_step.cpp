// The suites step and scaling: how fast grains are simulated, and what that grows with.
#include "bench/measure.h"
#include "bench/scenes.h"
#include "bench/suite.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

using talus::Method;
using talus::Scene;

// Steps from the same state on, with what they came to.
Trial stepping(talus::Simulation simulation) {
  auto replay = std::make_shared<Replay>(std::move(simulation));
  return [replay](std::uint64_t steps) {
    Sample sample = replay->advance(steps);
    add_quality(sample, replay->simulation);
    auto grains = replay->simulation.grains();  // of the first world: the others lie in the same places
    grains.resize(grains.size() / replay->simulation.worlds());
    sample.counters["packing"] = bed_packing(grains, replay->simulation.scene().domain);
    return std::vector{sample};
  };
}

std::uint64_t steps_in(const Scene& scene, double time) {
  return static_cast<std::uint64_t>(std::llround(time / scene.dt));
}

void need_room(const Target& target, const Scene& scene, unsigned grains) {
  target.need_memory(bytes_per_grain(scene) * grains, fmt::format("{} grains", grains));
}

// Runs on for so many s; throws Skip where that takes longer than there is time for.
void settle(Target& target, talus::Simulation& simulation, double seconds, const std::string& what) {
  simulation.advance(1);  // compiles the passes
  const std::uint64_t steps = steps_in(simulation.scene(), seconds);
  const Stopwatch watch;
  simulation.advance(1);
  target.need_time(watch.stop(1).real_s * static_cast<double>(steps), what);
  simulation.advance(steps);
}

Case size_case(Target& target, unsigned grains) {
  return {fmt::format("size/dem/{}", grains), "size", 0,
          [&target, grains] { return stepping(at_rest(target, Method::dem, grains)); }};
}

Case iterations_case(Target& target, Method method, int iterations, unsigned grains) {
  const std::string family = fmt::format("iterations/{}", talus::word(method));
  return {fmt::format("{}/{}", family, iterations), family, 0,
          [=, &target] { return stepping(at_rest(target, method, grains, {.iterations = iterations})); }};
}

Case bodies_case(Target& target, int bodies, unsigned grains) {
  return {fmt::format("bodies/{}", bodies), "", 0, [=, &target] {
            const Scene scene = scene_with_balls(grains, bodies);
            talus::Simulation simulation(scene, target.options);
            settle(target, simulation, target.pick(0.5, 0.02), "settling around bodies");
            return stepping(std::move(simulation));
          }};
}

// Boxes of a thousand grains, each with a random arrangement of its own.
Case worlds_case(Target& target, unsigned worlds) {
  constexpr unsigned grains = 1000;
  return {fmt::format("worlds/{}", worlds), "worlds", 0, [=, &target] {
            Scene scene = settling_box(Method::dem, grains);
            scene.worlds = worlds;
            need_room(target, scene, worlds * grains);
            talus::Simulation simulation(scene, target.options);
            settle(target, simulation, target.pick(0.5, 0.02), fmt::format("settling {} worlds", worlds));
            return stepping(std::move(simulation));
          }};
}

}  // namespace

talus::Simulation at_rest(Target& target, Method method, unsigned grains, const RestOptions& rest) {
  Scene scene = settling_box(method, grains);
  scene.solver.substeps = talus::choose_substeps(scene).substeps;
  if (rest.iterations > 0)
    scene.solver.iterations = rest.iterations;
  need_room(target, scene, grains);
  std::vector<glm::dvec3> points;
  for (const talus::GrainState& g : target.settled(grains))
    points.push_back(glm::clamp(glm::dvec3(g.position), scene.domain.min, scene.domain.max));
  const double radius = scene.grains.at(0).radius_max;
  scene.grains.clear();
  add_points(scene, radius, std::move(points));

  talus::Options options = target.options;
  options.timing = rest.timing;
  talus::Simulation simulation(scene, options);
  settle(target, simulation, target.pick(0.25, 0.05), fmt::format("bringing {} grains to rest", grains));
  return simulation;
}

std::vector<Case> box_cases(Target& target, const std::vector<Method>& methods, const std::vector<unsigned>& sizes,
                            bool timing, const std::function<Trial(talus::Simulation)>& trial_of) {
  std::vector<Case> cases;
  for (const unsigned grains : sizes)
    for (const Method method : methods) {
      const std::string falling = fmt::format("box_falling/{}", talus::word(method));
      const std::string rest = fmt::format("box_rest/{}", talus::word(method));
      const Scene scene = settling_box(method, grains);
      cases.push_back(
          {fmt::format("{}/{}", falling, grains), falling, steps_in(scene, target.pick(scene.end, 0.05)), [=, &target] {
             need_room(target, scene, grains);
             talus::Options options = target.options;
             options.timing = timing;
             return trial_of(talus::Simulation(scene, options));
           }});
      cases.push_back({fmt::format("{}/{}", rest, grains), rest, 0,
                       [=, &target] { return trial_of(at_rest(target, method, grains, {.timing = timing})); }});
    }
  return cases;
}

std::vector<Case> step_cases(Target& target) {
  return box_cases(
      target,
      target.pick(std::vector{Method::dem, Method::p2, Method::pbd, Method::vts, Method::sp},
                  std::vector{Method::dem, Method::vts}),
      target.pick(std::vector{1000u, 10'000u, 50'000u, 100'000u, 1'000'000u, 4'000'000u}, std::vector{1000u}), false,
      stepping);
}

std::vector<Case> scaling_cases(Target& target) {
  const unsigned grains = target.pick(10'000u, 1000u);
  std::vector<Case> cases;
  for (unsigned n = 1000; n <= target.pick(4'096'000u, 2000u); n *= 2)
    cases.push_back(size_case(target, n));
  for (const Method method : {Method::vts, Method::p2})
    for (int iterations = 1; iterations <= target.pick(32, 2); iterations *= 2)
      cases.push_back(iterations_case(target, method, iterations, grains));
  for (const int bodies : target.pick(std::vector{0, 1, 4, 16, 64}, std::vector{0, 4}))
    cases.push_back(bodies_case(target, bodies, grains));
  for (unsigned worlds = 1; worlds <= target.pick(4096u, 4u); worlds *= 4)
    cases.push_back(worlds_case(target, worlds));
  return cases;
}

}  // namespace bench
