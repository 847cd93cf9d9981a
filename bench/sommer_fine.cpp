// Fine grains (Sommer and Schwanecke 2022, section 4): what they cost, and whether they stay even.
#include "bench/experiment.h"
#include "bench/fine_scenes.h"
#include "bench/scenes.h"
#include "engine/core/executor.h"
#include "engine/reference/near.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

// A row of the paper's table 1, on an Intel Core i9-9980HK with 8 cores: a scene of this house has its counts.
struct PaperRow {
  std::string scene;
  double coarse, fine;        // grains
  double coarse_ms, fine_ms;  // per frame
};
const std::vector<PaperRow>& table1() {
  static const std::vector<PaperRow> rows{{"sandcastle", 2.4e3, 90e3, 9.75, 7.31},
                                          {"excavator", 6.8e3, 147e3, 21.4, 11.2},
                                          {"hourglass_fine", 10e3, 460e3, 47.4, 48.5},
                                          {"squirrel_fine", 10e3, 207e3, 33.0, 15.8}};
  return rows;
}

}  // namespace

std::vector<std::string> fine_scenes() {
  std::vector<std::string> names;
  for (const PaperRow& row : table1())
    names.push_back(row.scene);
  return names;
}

talus::Scene fine_scene(const std::string& name, bool quick) {
  talus::Scene scene = house_scene(name);
  if (!quick)
    return scene;
  for (talus::GrainGroup& group : scene.grains)
    group.radius_min = group.radius_max = 2.0 * group.radius_max;
  for (talus::Emitter& emitter : scene.emitters)
    emitter.count = 300;
  if (scene.emitters.empty()) {
    scene.upsampling->radius_min *= 2.0;
    scene.upsampling->radius_max *= 2.0;
  }
  return scene;
}

bool is_fine(const std::string& pass) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"fine_", "density_", "one_advecting_", "near_"},
                             [&](std::string_view prefix) { return pass.starts_with(prefix); });
}

double in_motion(const talus::Scene& scene) {
  double start = 0.2;
  for (const talus::Emitter& emitter : scene.emitters)
    start =
        std::max(start, std::min(emitter.stop, emitter.start + emitter.count.value_or(1u << 30) / emitter.rate) + 1.0);
  return start;
}

namespace {

// In ms, of the passes so far.
struct Cost {
  double coarse = 0.0, fine = 0.0, move = 0.0, copy = 0.0;
};
Cost cost_of(const talus::Simulation& simulation) {
  Cost cost;
  for (const talus::PassTime& pass : simulation.pass_times()) {
    (is_fine(pass.name) ? cost.fine : cost.coarse) += pass.ms;
    if (pass.name == "fine_move")
      cost.move = pass.ms;
    if (pass.name == "fine_commit")
      cost.copy = pass.ms;
  }
  return cost;
}

// Coarse grains that a fine one looks at, and those of them that reach it, on average.
struct Seen {
  double looked_at = 0.0, reach = 0.0;
};
Seen seen(talus::Simulation& simulation) {
  using talus::FieldId;
  const talus::Fields fields = talus::fields_of(
      simulation.executor(), {FieldId::settings, FieldId::near_start, FieldId::advecting, FieldId::fine_grains});
  talus::reference::Near around(fields);
  Seen sum;
  double count = 0.0;
  for (std::uint32_t i = 0; i < simulation.fine_places(); i += 17)
    if (fields.fine_grains[i].position.w > 0.0f) {
      around.each(glm::vec3(fields.fine_grains[i].position), [&](const auto&...) { sum.reach += 1.0; });
      sum.looked_at += static_cast<double>(around.looked_at());
      count += 1.0;
    }
  return count > 0.0 ? Seen{sum.looked_at / count, sum.reach / count} : Seen{};
}

// ns that fine_commit takes for a fine grain. Leaves the fine grains as they were when they were sorted last.
double copy_time(talus::Simulation& simulation) {
  constexpr int times = 20;
  talus::Args args{};
  args.fine.places = simulation.fine_places();
  args.followed.field = static_cast<talus::uint>(talus::FieldId::fine_grains);
  args.followed.words = sizeof(talus::Grain) / sizeof(talus::uint);
  const double before = cost_of(simulation).copy;
  for (int k = 0; k < times; ++k)
    simulation.executor().run(talus::Pass::fine_commit, {args.fine.places}, args);
  simulation.executor().finish();
  return 1e6 * (cost_of(simulation).copy - before) / (times * std::max(1.0, static_cast<double>(args.fine.places)));
}

// Table 1: the time of a frame of 1/60 s, and how near to the limit of the memory its greatest pass is. That limit is
// the speed of fine_commit, which only copies.
Result sommer_table1(const Context& context) {
  Result result;
  result.summary.columns = {"scene",
                            "coarse",
                            "fine",
                            "coarse [ms]",
                            "fine [ms]",
                            "paper: coarse",
                            "paper: fine",
                            "coarse [ms]",
                            "fine [ms]",
                            "fine_move [ns per fine grain]",
                            "coarse looked at",
                            "within reach",
                            "bytes read there",
                            "share of the memory limit [%]"};
  Series ours{"ours", {}}, theirs{"paper", {}};
  constexpr double copied = 2.0 * sizeof(talus::Grain);  // bytes that fine_commit reads and writes of a fine grain
  bool more = true, faster = true;
  double frame = 0.0;  // ms, of the hourglass
  for (const PaperRow& row : table1()) {
    const talus::Scene scene = fine_scene(row.scene, context.quick);
    talus::Simulation simulation = simulate(context, scene);
    const double span = context.pick(0.5, 0.1);
    go_on(simulation, context.pick(in_motion(scene), 0.1));
    const Cost before = cost_of(simulation);
    const auto moves = [&] {
      return static_cast<double>(
          talus::read_field<talus::Status>(simulation.executor(), talus::FieldId::status, 1)[0].fine.moves);
    };
    const double moves_before = moves();
    go_on(simulation, simulation.time() + span);
    const Cost after = cost_of(simulation);
    const double frames = 60.0 * span, fine = simulation.fine_count(), moved = std::max(moves() - moves_before, 1.0);
    const double coarse_ms = (after.coarse - before.coarse) / frames, fine_ms = (after.fine - before.fine) / frames;
    const double ns = 1e6 * (after.move - before.move) / (moved * std::max(fine, 1.0));
    const Seen near = seen(simulation);
    const double copy_ns = copy_time(simulation);
    const double least = 72.0 + 32.0 * simulation.grain_count() / std::max(fine, 1.0);  // each grain once
    result.summary.rows.push_back({row.scene, fmt::format("{}", simulation.grain_count()), fmt::format("{:.0f}", fine),
                                   number(coarse_ms), number(fine_ms), number(row.coarse), number(row.fine),
                                   number(row.coarse_ms), number(row.fine_ms), number(ns), number(near.looked_at, 3),
                                   number(near.reach, 3), number(36.0 + 16.0 * (near.looked_at + near.reach), 3),
                                   number(100.0 * least / copied * copy_ns / ns, 2)});
    if (row.scene == "hourglass_fine")
      frame = coarse_ms + fine_ms;
    ours.points.emplace_back(fine / 1000.0, fine_ms);
    theirs.points.emplace_back(row.fine / 1000.0, row.fine_ms);
    more = more && (context.quick || fine > 0.5 * row.fine);
    faster = faster && fine_ms / std::max(fine, 1.0) < row.fine_ms / row.fine;
  }
  std::ranges::sort(ours.points);
  std::ranges::sort(theirs.points);
  result.plot = {"Fine grains", "fine grains [thousands]", "time of a frame of 1/60 s [ms]", {ours, theirs}};
  result.findings = {{"half a million fine grains at interactive rates, on the CPU alone",
                      fmt::format("{} ms a frame for {} fine grains of the hourglass, and the coarse ones",
                                  number(frame), result.summary.rows[2][2]),
                      more && frame < 100.0, "Interactive: ten frames a second. The paper has 96 ms, on 8 cores."},
                     {"a fine grain takes less time than in the paper", faster ? "in all scenes" : "not in all scenes",
                      faster, "Per fine grain and frame, on this machine's cores."}};
  return result;
}

// Fine grains to a coarse one: of each coarse grain those that are nearest to it.
struct Share {
  double mean = 0.0, deviation = 0.0, none = 0.0;  // deviation in means; none: share of coarse grains without any
};
Share share_of(talus::Simulation& simulation) {
  const std::vector<talus::GrainState> coarse = simulation.grains(), fine = simulation.fine_grains();
  std::vector<double> counts(coarse.size(), 0.0);
  for (const talus::GrainState& f : fine) {
    const auto nearest = std::ranges::min_element(
        coarse, {}, [&](const talus::GrainState& c) { return glm::distance(c.position, f.position); });
    counts[static_cast<std::size_t>(nearest - coarse.begin())] += 1.0;
  }
  Share share;
  for (const double n : counts) {
    share.mean += n / static_cast<double>(counts.size());
    share.none += (n == 0.0 ? 1.0 : 0.0) / static_cast<double>(counts.size());
  }
  for (const double n : counts)
    share.deviation += (n - share.mean) * (n - share.mean) / static_cast<double>(counts.size());
  share.deviation = std::sqrt(share.deviation) / share.mean;
  return share;
}

// A drum with two paddles that turns for a minute.
talus::Scene drum(const Context& context, talus::Advection advection) {
  talus::Scene scene;
  scene.domain.min = {-0.3, -0.1, -0.3};
  scene.domain.max = {0.3, 0.1, 0.3};
  scene.solver = talus::default_solver(talus::Method::dem);
  scene.solver.substeps = 8;
  scene.materials = {{.name = "sand", .friction_static = 0.6, .friction_kinetic = 0.6}};
  talus::GrainGroup group;
  group.radius_min = group.radius_max = context.pick(0.012, 0.02);
  group.shape = talus::BoxFill{{-0.14, -0.09, -0.15}, {0.14, 0.09, 0.02}};
  scene.grains.push_back(group);
  talus::BodySpec body;
  body.name = "drum";
  body.rotation = {90.0, 0.0, 0.0};
  body.spin = {0.0, 2.0, 0.0};
  body.parts = {{talus::BoxPart{{0.6, 0.6, 0.4}}},
                {talus::ConePart{0.2, 0.2, 0.39}, {}, {}, true},
                {talus::BoxPart{{0.04, 0.02, 0.39}}, {0.18, 0.0, 0.0}},
                {talus::BoxPart{{0.04, 0.02, 0.39}}, {-0.18, 0.0, 0.0}}};
  scene.bodies.push_back(body);
  const double radius = group.radius_max / 3.0;
  scene.upsampling =
      talus::Upsampling{.radius_min = 0.9 * radius, .radius_max = 1.1 * radius, .advection = advection, .where = {}};
  return scene;
}

Result sommer_stirring(const Context& context) {
  const double end = context.pick(60.0, 1.0), every = context.pick(5.0, 0.5);
  Result result;
  result.data.columns = {"t", "advection", "mean", "deviation", "none"};
  result.plot = {
      "Fine grains in a drum that turns", "time [s]", "deviation of fine grains to a coarse one [% of the mean]", {}};
  result.summary.columns = {"advection",     "start: fine to a coarse one",
                            "deviation [%]", "end: fine to a coarse one",
                            "deviation [%]", "without any [%]"};
  std::vector<Share> starts, ends;
  for (const talus::Advection advection : {talus::Advection::steady, talus::Advection::plain}) {
    const std::string name = advection == talus::Advection::plain ? "plain" : "steady";
    talus::Simulation simulation = simulate(context, drum(context, advection));
    go_on(simulation, 0.4);  // it has fallen
    starts.push_back(share_of(simulation));
    Series series{name, {}};
    watch(simulation, end, every, [&] {
      ends.resize(starts.size());
      ends.back() = share_of(simulation);
      series.points.emplace_back(simulation.time(), 100.0 * ends.back().deviation);
      result.data.rows.push_back({number(simulation.time(), 4), name, number(ends.back().mean),
                                  number(ends.back().deviation), number(ends.back().none)});
    });
    result.plot.series.push_back(series);
    result.summary.rows.push_back({name, number(starts.back().mean), number(100.0 * starts.back().deviation),
                                   number(ends.back().mean), number(100.0 * ends.back().deviation),
                                   number(100.0 * ends.back().none)});
  }
  result.findings = {{"no clumps and no voids after long stirring",
                      fmt::format("deviation {:.2f} of the mean after {:g} s, {:.2f} at the start; {:.2f} % of the "
                                  "coarse grains without a fine one",
                                  ends[0].deviation, end, starts[0].deviation, 100.0 * ends[0].none),
                      ends[0].deviation < starts[0].deviation + 0.1 && ends[0].none < 0.01,
                      "Of the fine grains nearest to each coarse one."},
                     {"plain advection clumps",
                      fmt::format("deviation {:.2f}, {:.2f} % without", ends[1].deviation, 100.0 * ends[1].none),
                      ends[1].deviation > 2.0 * ends[0].deviation || context.quick,
                      "As printed, but out of walls and bodies."}};
  return result;
}

}  // namespace

std::vector<Experiment> sommer_fine_experiments() {
  const std::string source = "Sommer and Schwanecke 2022";
  return {
      {"sommer_table1", "The time of fine grains", source + ", table 1", 6.0, sommer_table1},
      {"sommer_stirring", "Fine grains that are stirred for a minute", source + ", section 4", 6.0, sommer_stirring}};
}

}  // namespace bench
