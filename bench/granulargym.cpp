// Millard et al. 2023, GranularGym.
#include "bench/experiment.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include "engine/core/executor.h"
#include "engine/core/step.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

using talus::FieldId;
using talus::Scene;

// Gives the simulation a cell table of another size: the torus of cells that the domain is wound on.
void set_table(talus::Executor& executor, const glm::uvec3& bits) {
  auto settings = talus::read_field<talus::Settings>(executor, FieldId::settings, 1);
  const talus::uint before = talus::grid_cells(settings[0].grid.bits), now = talus::grid_cells(bits),
                    bodies = settings[0].bodies.count;
  const auto grains = static_cast<talus::uint>(executor.size(FieldId::grains));
  const bool linked = executor.size(FieldId::cell_lists) > talus::cell_list_words(before, bodies, false, grains);
  executor.resize(FieldId::cell_lists, talus::cell_list_words(now, bodies, linked, grains));
  settings[0].grid.bits = bits;
  talus::write_field(executor, FieldId::settings, settings);
  for (std::size_t f = 0; f < talus::field_count; ++f) {
    const talus::Extent extent = talus::field_infos[f].extent;
    if (extent == talus::Extent::cells || extent == talus::Extent::cells_and_end)
      executor.resize(static_cast<FieldId>(f), now + (extent == talus::Extent::cells_and_end ? 1 : 0));
  }
}

// ms of one build of the neighbour lists.
double build_time(talus::Simulation& simulation, int repeats) {
  talus::Executor& executor = simulation.executor();
  talus::StepPlan plan{};
  plan.grains = simulation.grain_count();
  plan.solver = simulation.scene().solver;
  plan.h = static_cast<float>(simulation.scene().dt);
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    auto worlds = talus::read_field<talus::World>(executor, FieldId::worlds, 1);
    worlds[0].lists.travel = talus::shared::lists_invalid;
    worlds[0].motion.speed = 0.0f;  // cells as they are at rest
    talus::write_field(executor, FieldId::worlds, worlds);
    const auto begin = std::chrono::steady_clock::now();
    talus::build_lists(executor, plan);
    executor.finish();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// A tall column at rest, its lists built with tables of N/64 to 16 N cells.
Result table_size(Context context) {
  context.workers = 1;  // one after another on all cores: this measures time
  const std::vector<unsigned> counts = context.pick(std::vector{4000u, 16000u}, std::vector{2000u});
  const double r = 0.005;
  Result result;
  result.summary.columns = {"lists", "grains", "cells", "cells per grain", "build [ms]"};
  result.plot = {
      "Time of a neighbour build by the size of the cell table", "cells per grain", "build [ms]", {}, true, true};
  for (const auto& [neighbours, name] :
       {std::pair{talus::Neighbours::sorted, "sorted"}, {talus::Neighbours::linked, "linked"}})
    for (const unsigned count : counts) {
      Scene scene = floor_scene(plain(talus::Method::p2), 0.5, 240.0, 4, 2);
      scene.solver.neighbours = neighbours;
      add_bed(scene, count, r, 4.0 * std::cbrt(count));
      talus::Simulation simulation = simulate(context, scene);
      if (!go_on(simulation, context.pick(0.25, 0.1)))
        continue;
      Series series{fmt::format("{} grains, {}", count, name), {}, "linespoints"};
      const unsigned least = static_cast<unsigned>(std::log2(count)) - 6;
      for (unsigned bits = std::max(least, 6u); bits <= least + 10; ++bits) {
        // As the domain: taller than wide. Two bits per axis are the least, so that neighbours differ.
        const unsigned across = std::max(2u, (bits - 2) / 3);
        set_table(simulation.executor(), {across, across, bits - 2 * across});
        const double ms = build_time(simulation, 5);
        const double share = std::exp2(bits) / count;
        series.points.emplace_back(share, ms);
        result.summary.rows.push_back(
            {name, fmt::format("{}", count), fmt::format("{}", 1u << bits), number(share), number(ms)});
      }
      result.plot.series.push_back(std::move(series));
    }
  // Near the fastest from two cells per grain on?
  double worst = 0.0;
  for (const Series& series : result.plot.series) {
    double best = 1e300, at_two = 0.0;
    for (const auto& [share, ms] : series.points)
      best = std::min(best, ms);
    for (const auto& [share, ms] : series.points)
      if (share >= 1.4 && share < 2.8)
        at_two = ms;
    worst = std::max(worst, at_two / best);
  }
  result.findings = {{"a table of twice as many cells as grains is about the fastest",
                      fmt::format("at most {} times the fastest", number(worst)), worst > 0.0 && worst < 1.25,
                      "Talus winds the domain on a torus of cells instead of hashing: a small table makes far cells "
                      "share a place, as a hash makes random ones."}};
  return result;
}

// The column again, stepped by dem: contacts found and solved one by one, found first and then solved in the same pass,
// or found in passes of their own.
Result detection_and_response(Context context) {
  context.workers = 1;
  struct Variant {
    std::string name;
    talus::Detection detection;
    Series series;
  };
  std::vector<Variant> variants{{"one loop", talus::Detection::one_loop, {}},
                                {"two loops, one pass", talus::Detection::two_loops, {}},
                                {"two passes", talus::Detection::lists_anew, {}},
                                {"two passes, lists that last", talus::Detection::lists, {}}};
  const std::vector<unsigned> counts = context.pick(std::vector{4000u, 16000u, 64000u}, std::vector{1000u, 2000u});
  const double r = 0.005;
  Result result;
  result.summary.columns = {"variant", "grains", "wall time over simulated time"};
  result.plot = {"Detection and response, dem at 960 Hz", "grains", "simulated time over wall time", {}, true, true};
  for (Variant& variant : variants) {
    variant.series = {variant.name, {}, "linespoints"};
    for (const unsigned count : counts) {
      Scene scene = floor_scene(talus::default_solver(talus::Method::dem), 0.5, 240.0, 4, 1);
      scene.solver.contact_memory = false;  // the fused passes have none
      scene.solver.detection = variant.detection;
      add_bed(scene, count, r, 4.0 * std::cbrt(count));
      talus::Simulation simulation = simulate(context, scene);
      const double settle = context.pick(0.3, 0.1), seconds = context.pick(0.15, 0.05);
      if (!go_on(simulation, settle))
        continue;
      const auto begin = std::chrono::steady_clock::now();
      if (!go_on(simulation, settle + seconds))
        continue;
      const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      variant.series.points.emplace_back(count, seconds / wall);
      result.summary.rows.push_back({variant.name, fmt::format("{}", count), number(wall / seconds)});
    }
    result.plot.series.push_back(variant.series);
  }
  const auto last = [&](std::size_t i) {
    const auto& points = variants[i].series.points;
    return points.empty() ? std::nan("") : points.back().second;
  };
  result.findings = {
      {"detection and response in passes of their own are fastest",
       fmt::format("{} times the speed of one loop, {} times that of two loops in one pass", number(last(2) / last(0)),
                   number(last(2) / last(1))),
       last(2) > last(0) && last(2) > last(1),
       fmt::format("Speeds, of grains still settling. Claimed of GPUs. Lists that last for several substeps run at {} "
                   "times the speed of new ones in each.",
                   number(last(3) / last(2)))}};
  return result;
}

// The gear tower of scenes/gear_tower.toml with another number of gears: the tower grows with them, the grains stay as
// many.
Scene tower(unsigned gears, unsigned grains) {
  Scene scene = house_scene("gear_tower");
  std::vector<talus::BodySpec> eight;
  std::ranges::copy_if(scene.bodies, std::back_inserter(eight),
                       [](const talus::BodySpec& body) { return body.name.starts_with("gear_"); });
  talus::BodySpec tube = scene.bodies.at(0);
  const double level = eight[0].position.z - eight[1].position.z;
  const double height = level * gears, grown = height - scene.domain.max.z;
  for (talus::BodyPart& part : tube.parts)
    if (auto* cylinder = std::get_if<talus::ConePart>(&part.shape))
      cylinder->height += grown;
    else if (auto* plate = std::get_if<talus::BoxPart>(&part.shape))
      plate->size.z += grown;
  tube.position.z = 0.5 * height;
  scene.bodies = {tube};
  for (unsigned i = 0; i < gears; ++i) {
    talus::BodySpec gear = eight[i % eight.size()];
    gear.name = fmt::format("gear_{}", i + 1);
    gear.position.z = height - level * (0.5 + i);
    scene.bodies.push_back(std::move(gear));
  }
  scene.domain.max.z = height;
  auto& box = std::get<talus::BoxFill>(scene.grains.at(0).shape);
  box.max.z = height;
  scene.grains[0].count = grains;
  return scene;
}

// The same number of grains among 2 to 32 gears. Past a single one there is a way down without end, on which grains get
// ever faster.
Result gears(Context context) {
  context.workers = 1;
  const std::vector<unsigned> counts = context.pick(std::vector{2u, 4u, 8u, 16u, 32u}, std::vector{2u, 4u});
  const unsigned grains = context.pick(4000u, 500u);
  const double settle = context.pick(0.5, 0.05), seconds = context.pick(0.5, 0.05);
  Result result;
  result.summary.columns = {"gears", "wall time over simulated time", "simulated time over wall time"};
  result.plot = {fmt::format("Gear tower, {} grains", grains), "gears", "simulated time over wall time", {}, true};
  Series series{"dem", {}, "linespoints"};
  for (const unsigned count : counts) {
    talus::Simulation simulation = simulate(context, tower(count, grains));
    if (!go_on(simulation, settle))
      continue;
    const auto begin = std::chrono::steady_clock::now();
    if (!go_on(simulation, settle + seconds))
      continue;
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    series.points.emplace_back(count, seconds / wall);
    result.summary.rows.push_back({fmt::format("{}", count), number(wall / seconds), number(seconds / wall)});
  }
  const bool all = series.points.size() == counts.size();
  const double slower = all ? series.points.front().second / series.points.back().second : std::nan("");
  result.plot.series = {std::move(series)};
  result.findings = {{"a scene of many bodies is slower than one of few",
                      fmt::format("{} gears: {} times the time of {}", counts.back(), number(slower), counts.front()),
                      slower > 1.0,
                      "The same grains in a tower that grows with its gears. A grain looks only at bodies whose bounds "
                      "reach into its cell."}};
  return result;
}

}  // namespace

std::vector<Experiment> granulargym_experiments() {
  return {{"granulargym_fig3", "Size of the cell table", "Millard et al. 2023, figure 3", 1.0, table_size},
          {"granulargym_fig6", "Detection and response", "Millard et al. 2023, figure 6", 1.5, detection_and_response},
          {"granulargym_gears", "Gear tower", "Millard et al. 2023, figure 9", 6.0, gears}};
}

}  // namespace bench
