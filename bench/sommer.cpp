// Sommer and Schwanecke 2022, Interactive High-Resolution Simulation of Granular Material.
#include "bench/experiment.h"
#include "bench/scenes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

// A body of particles is hurled into a castle: does it keep its shape, and do the two push each other alike?
Result squirrel(const Context& context) {
  talus::Scene scene = house_scene("squirrel");
  if (context.quick) {  // the plinth alone, coarse
    scene.grains.resize(1);
    for (talus::GrainGroup* group : {&scene.grains[0], &scene.shapes.at(0).grains})
      group->radius_min = group->radius_max = 0.04;
  }
  const double end = context.pick(scene.end, 0.25);
  const talus::Population population = talus::populate(scene);
  const std::size_t parts = population.shaped.size(),
                    first = population.initial.size() - population.boundary.size() - population.cloth_vertices - parts;
  const double r = scene.grains.at(0).radius_min, volume = 4.0 / 3.0 * std::acos(-1.0) * r * r * r;
  const double grain = scene.materials[scene.grains[0].material].density * volume,
               part = scene.materials[scene.shapes.at(0).grains.material].density * volume;  // kg
  talus::Simulation simulation = simulate(context, scene);
  const std::vector<talus::GrainState> start = simulation.grains();
  const double thrown = part * static_cast<double>(parts) * scene.shapes[0].grains.velocity.x;  // N s

  struct Momenta {
    double body = 0.0, castle = 0.0;  // N s, along x
  };
  const auto momenta_of = [&](const std::vector<talus::GrainState>& grains) {
    Momenta m;
    for (std::size_t i = 0; i < first; ++i)
      m.castle += grain * grains[i].velocity.x;
    for (std::size_t k = first; k < first + parts; ++k)
      m.body += part * grains[k].velocity.x;
    return m;
  };
  // The same throw over a floor that takes no momentum.
  talus::Scene smooth = scene;
  smooth.domain.friction_static = smooth.domain.friction_kinetic = 0.0;
  talus::Simulation twin = simulate(context, smooth);
  go_on(twin, context.pick(0.4, 0.25));
  const Momenta exchanged = momenta_of(twin.grains());

  Result result;
  Series of_body{"squirrel", {}}, of_castle{"castle", {}}, of_both{"both", {}};
  result.data.columns = {"t", "squirrel", "castle", "deformation"};
  double deformed = 0.0, moved = 0.0;
  const bool stable = watch(simulation, end, 0.005, [&] {
    const std::vector<talus::GrainState> grains = simulation.grains();
    const auto [body, castle] = momenta_of(grains);
    double far = 0.0;
    moved = 0.0;
    for (std::size_t i = 0; i < first; ++i)
      moved += glm::length(grains[i].position - start[i].position) > 2.0 * r;
    const talus::Pose pose = simulation.shape_state(0).pose;
    for (std::size_t k = 0; k < parts; ++k)
      far = std::max(far, glm::length(glm::dvec3(grains[first + k].position) - pose.position -
                                      pose.rotation * population.shaped[k].place));
    const double t = simulation.time();
    deformed = std::max(deformed, far / r);
    of_body.points.emplace_back(t, 100.0 * body / thrown);
    of_castle.points.emplace_back(t, 100.0 * castle / thrown);
    of_both.points.emplace_back(t, 100.0 * (body + castle) / thrown);
    result.data.rows.push_back({number(t, 4), number(body, 5), number(castle, 5), number(far / r, 3)});
  });
  const double share = 100.0 * moved / static_cast<double>(first);
  result.summary.columns = {"what", "value"};
  result.summary.rows = {{"grains of the castle", std::to_string(first)},
                         {"particles of the squirrel", std::to_string(parts)},
                         {"thrown with", fmt::format("{} N s", number(thrown))},
                         {fmt::format("after {:g} s it is left with", end),
                          fmt::format("{} %", number(of_body.points.empty() ? NAN : of_body.points.back().second))},
                         {"grains it has moved by a diameter or more", fmt::format("{} %", number(share))}};
  result.plot = {"A squirrel is hurled into a castle",
                 "time [s]",
                 "momentum along x, of that thrown with [%]",
                 {std::move(of_body), std::move(of_castle), std::move(of_both)}};
  result.findings = {{"shape matching reconstructs the shape of the body",
                      fmt::format("no particle further than {} radii from its place", number(deformed, 2)),
                      stable && deformed < 0.01, "In all of the impact, at a stiffness of 1."},
                     {"and couples it with the grains in both ways: what one loses the other gains",
                      fmt::format("{} and {} N s, {:.2f} s after the throw", number(thrown - exchanged.body),
                                  number(exchanged.castle), twin.time()),
                      exchanged.body < thrown && std::abs(exchanged.castle / (thrown - exchanged.body) - 1.0) < 0.01,
                      "Momentum along x over a floor without friction. The paper shows pictures."},
                     {"it breaks into the castle", fmt::format("{} % of the grains moved by a diameter", number(share)),
                      share > 10.0, "A tenth at least."}};
  return result;
}

}  // namespace

std::vector<Experiment> sommer_experiments() {
  return {{"squirrel", "A body of particles hurled into a castle", "Sommer and Schwanecke 2022, scene Squirrel", 3.0,
           squirrel}};
}

}  // namespace bench
