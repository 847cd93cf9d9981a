#include "bench/papers.h"
#include "bench/scenes.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<Experiment> chosen(const std::vector<std::string>& only) {
  std::vector<Experiment> all = all_experiments(), some;
  if (only.empty())
    return all;
  for (const std::string& name : only) {
    const auto found = std::ranges::find(all, name, &Experiment::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const Experiment& e : all)
        names.push_back(e.name);
      throw UsageError(
          fmt::format("--only {}: there is no such experiment; there are {}", name, fmt::join(names, ", ")));
    }
    some.push_back(*found);
  }
  return some;
}

std::string section(const Experiment& experiment, const Result& result, bool plots) {
  std::string out = fmt::format("\n## {}: {}\n\n{}. Data: [{}.csv]({}.csv)\n\n{}", experiment.name, experiment.title,
                                experiment.source, experiment.name, experiment.name, markdown(result.summary));
  if (plots)
    out += fmt::format("\n![{}]({}.svg)\n", result.plot.title, experiment.name);
  return out;
}

}  // namespace

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all;
  for (const auto& family :
       {holz_experiments(), francu_experiments(), francu_cloth_experiments(), granulargym_experiments(),
        sommer_experiments(), sommer_fine_experiments(), beyond_experiments(), body_experiments(),
        coupling_experiments(), demonstration_experiments()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

void list_papers() {
  fmt::print("{:<18} {:>9}  {}\n", "name", "core min", "what");
  for (const Experiment& e : all_experiments())
    fmt::print("{:<18} {:>9.2g}  {} ({})\n", e.name, e.minutes, e.title, e.source);
}

void run_papers(const PapersOptions& options) {
  const std::vector<Experiment> experiments = chosen(options.only);
  if (options.plots)
    need_gnuplot();
  std::filesystem::create_directories(options.out);

  // On a device one simulation at a time fills it; on the CPU path they run side by side.
  Context context{options.device, 1, options.quick};
  const talus::DeviceSummary device =
      talus::Simulation(floor_scene(plain(talus::Method::p2), 0.5, 60.0, 1, 1), {.device = options.device}).device();
  if (device.type == "CPU path")
    context.workers = options.workers;

  Table findings{{"experiment", "claim", "by", "measured", "agrees", ""}, {}};
  std::string sections;
  for (const Experiment& experiment : experiments) {
    fmt::print("{:<18} ", experiment.name);
    std::fflush(stdout);
    const auto begin = Clock::now();
    const Result result = experiment.run(context);
    talus::write_file(options.out / (experiment.name + ".csv"),
                      csv(result.data.columns.empty() ? result.summary : result.data));
    if (options.plots)
      draw(result.plot, options.out, experiment.name);
    std::size_t agree = 0;
    for (const Finding& f : result.findings) {
      agree += f.agrees;
      findings.rows.push_back(
          {experiment.name, f.claim, experiment.source, f.measured, f.agrees ? "yes" : "no", f.comment});
    }
    sections += section(experiment, result, options.plots);
    fmt::print("{:>7.1f} s  {} of {} claims agree\n", std::chrono::duration<double>(Clock::now() - begin).count(),
               agree, result.findings.size());
    talus::write_file(options.out / "papers.md",
                      fmt::format("# Experiments\n\nOn {}. {} version.\n\n{}{}", device.name,
                                  options.quick ? "Short" : "Full", markdown(findings), sections));
  }
  fmt::print("results in {}\n", (options.out / "papers.md").string());
}

}  // namespace bench
