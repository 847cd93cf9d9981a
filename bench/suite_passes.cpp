// The suite passes: what each pass takes, and how near that is to the time of moving its data.
#include "bench/measure.h"
#include "bench/pass_bytes.h"
#include "bench/scenes.h"
#include "bench/suite.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace bench {
namespace {

using talus::Method;

struct Count {
  double calls = 0.0, ms = 0.0;
};
std::map<std::string, Count> counts_of(const talus::Simulation& simulation) {
  std::map<std::string, Count> counts;
  for (const talus::PassTime& pass : simulation.pass_times())
    counts[pass.name] = {static_cast<double>(pass.calls), pass.ms};
  return counts;
}

// A sample per pass that ran; an iteration is a step, as for the whole, which is the first of them.
std::vector<Sample> passes_of(Replay& replay, std::uint64_t steps, double copy_bytes_per_s) {
  talus::Simulation& simulation = replay.simulation;
  const auto before = counts_of(simulation);
  std::vector<Sample> samples{replay.advance(steps)};
  const auto after = counts_of(simulation);
  add_quality(samples[0], simulation);
  const double n = static_cast<double>(steps), rebuilds = static_cast<double>(replay.rebuilds()),
               incremental_rebuilds = static_cast<double>(replay.incremental_rebuilds());
  // In strides, passes are called for substeps that are passed over, too; each pass is one of a substep there.
  const auto returns = after.find("grain_return");
  const bool strides = returns != after.end() && returns->second.calls > 0.0;
  const double most = strides ? n * simulation.scene().solver.substeps : std::numeric_limits<double>::infinity();
  for (const auto& [name, count] : after) {
    const auto found = before.find(name);
    const double calls = count.calls - (found == before.end() ? 0.0 : found->second.calls);
    const double ms = count.ms - (found == before.end() ? 0.0 : found->second.ms);
    const double runs = of_rebuild(name)       ? std::min(rebuilds, calls)
                        : of_incremental(name) ? std::min(incremental_rebuilds, calls)
                                               : std::min(calls, most);
    if (runs == 0.0 && ms == 0.0)
      continue;  // a device takes time for what does nothing, too
    Sample sample{.part = name, .iterations = steps, .real_s = 1e-3 * ms};
    const double bytes = bytes_of_pass(simulation, name) * runs;
    sample.counters = {{"runs_per_step", runs / n}, {"bytes_per_step", bytes / n}};
    if (ms > 0.0 && bytes > 0.0) {
      sample.counters["bytes_per_s"] = bytes / sample.real_s;
      sample.counters["of_copy"] = bytes / sample.real_s / copy_bytes_per_s;
    }
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

std::vector<Case> passes_cases(Target& target) {
  return box_cases(target, target.pick(std::vector{Method::dem, Method::vts, Method::p2}, std::vector{Method::dem}),
                   target.pick(std::vector{10'000u, 100'000u, 1'000'000u, 4'000'000u}, std::vector{1000u}), true,
                   [&target](talus::Simulation simulation) -> Trial {
                     auto replay = std::make_shared<Replay>(std::move(simulation));
                     return [replay, copy = target.copy_bytes_per_s()](std::uint64_t steps) {
                       return passes_of(*replay, steps, copy);
                     };
                   });
}

}  // namespace bench
