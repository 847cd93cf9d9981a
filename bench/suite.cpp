#include "bench/suite.h"
#include "bench/context.h"
#include "bench/copy_speed.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include "engine/core/executor.h"
#include "engine/gpu/device.h"
#include "engine/gpu/error.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <random>

namespace bench {
namespace {

// A GPU that has idled has low clocks, and takes some time to raise them: work without a meaning until then.
void wake(talus::Executor& executor) {
  const talus::gpu::Device* device = executor.gpu_device();
  if (!device || !device->info().gpu)
    return;
  constexpr double enough = 0.4;  // s
  for (const Stopwatch watch; watch.stop(1).real_s < enough; executor.finish())
    for (int k = 0; k < 16; ++k)
      executor.copy(talus::FieldId::grains, {talus::FieldId::grains, talus::Copy::next});
}

// The least time of a repetition: shorter ones measure the clock.
double repetition_s(const RunOptions& options) {
  return options.quick ? 0.02 : 0.5;
}

std::string seconds_text(double s) {
  return s < 100.0 ? fmt::format("{:.2g} s", s) : fmt::format("{:.0f} s", s);
}

std::string full_name(const std::string& suite, const Case& bench_case, const std::string& part) {
  return suite + "/" + bench_case.name + (part.empty() ? "" : "/" + part);
}

void add(std::vector<Measured>& measured, const std::string& name, const Sample& sample) {
  auto found = std::ranges::find(measured, name, &Measured::name);
  if (found == measured.end())
    found = measured.insert(measured.end(), {name, {}, {}});
  found->samples.push_back(sample);
}

void print(const Measured& m) {
  if (!m.skipped.empty()) {
    fmt::print("{:<44} skipped: {}\n", m.name, m.skipped);
    return;
  }
  const std::vector<double> times = m.times();
  fmt::print("{:<44} {:>11.5g} {:>11.5g} {:>4}", m.name, median(times), *std::ranges::min_element(times), times.size());
  for (const char* name : {"ns_per_grain_step", "overlap_mean", "packing", "of_copy"})
    if (const double value = m.counter(name); std::isfinite(value))
      fmt::print("  {} {:.3g}", name, value);
  fmt::print("\n");
}

bool chosen(const RunOptions& options, const std::string& name) {
  return options.only.empty() ||
         std::ranges::any_of(options.only, [&](const std::string& part) { return name.find(part) != name.npos; });
}

std::vector<Suite> chosen_suites(const RunOptions& options) {
  if (options.suites.empty())
    return all_suites();
  std::vector<Suite> some;
  for (const std::string& name : options.suites) {
    const auto found = std::ranges::find(all_suites(), name, &Suite::name);
    if (found == all_suites().end()) {
      std::vector<std::string> names;
      for (const Suite& suite : all_suites())
        names.push_back(suite.name);
      throw UsageError(fmt::format("--suite {}: there is no such suite; there are {}", name, fmt::join(names, ", ")));
    }
    some.push_back(*found);
  }
  return some;
}

// Runs the cases in order; after each the file is as complete as the run.
void run_suite(const Suite& suite, Target& target, Results& results, const std::filesystem::path& file) {
  std::map<std::string, std::string> skipped;  // family: the case of it that was skipped
  for (const Case& bench_case : suite.cases(target)) {
    if (!chosen(target.run, full_name(suite.name, bench_case, "")))
      continue;
    std::vector<Measured> measured;
    if (const auto found = skipped.find(bench_case.family); found != skipped.end())
      measured = {{full_name(suite.name, bench_case, ""), {}, fmt::format("as {}, which is smaller", found->second)}};
    else
      measured = run_case(target.run, suite.name, bench_case);
    for (const Measured& m : measured) {
      print(m);
      if (!m.skipped.empty() && !bench_case.family.empty())
        skipped.emplace(bench_case.family, m.name);
      results.measured.push_back(m);
    }
    std::fflush(stdout);
    results.context = target.context;  // with the copy's speed, where a case has asked for it
    write_results(file, results);
  }
}

}  // namespace

Target::Target(const RunOptions& run_options, const std::string& wanted) : run(run_options) {
  options.device = wanted;
  options.timing = false;
  options.devices = talus::keep_devices_open();
  device = talus::Simulation(settling_box(talus::Method::dem, 8), options).device();
  if (device.type == "CPU path")
    options.device = "cpu";  // what auto has taken
  context = machine_context();
  context["device"] = device_context(device);
  memory_bytes = context["device"]["memory_bytes"].get<std::uint64_t>();
}

void Target::need_time(double seconds, const std::string& what) const {
  if (seconds > run.time_limit)
    throw Skip(fmt::format("{} would take about {}, more than --time-limit {:g}", what, seconds_text(seconds),
                           run.time_limit));
}

void Target::need_memory(double bytes, const std::string& what) const {
  if (memory_bytes > 0 && bytes > 0.8 * static_cast<double>(memory_bytes))
    throw Skip(fmt::format("{} needs about {}, and the device has {}", what,
                           talus::gpu::byte_text(static_cast<std::uint64_t>(bytes)),
                           talus::gpu::byte_text(memory_bytes)));
}

double Target::copy_bytes_per_s() {
  if (copy_bytes_per_s_ == 0.0) {
    const CopySpeed copy = copy_speed(options, memory_bytes, run.quick);
    copy_bytes_per_s_ = copy.bytes_per_s;
    context["copy_bytes_per_s"] = copy.bytes_per_s;
    context["copied_bytes"] = copy.bytes;
  }
  return copy_bytes_per_s_;
}

const std::vector<talus::GrainState>& Target::settled(unsigned grains) {
  const auto found = settled_.find(grains);
  if (found != settled_.end())
    return found->second;
  const talus::Scene scene = settling_box(talus::Method::dem, grains);
  const std::string what = fmt::format("settling {} grains", grains);
  need_memory(bytes_per_grain(scene) * grains, what);
  const auto steps = static_cast<std::uint64_t>(std::llround(scene.end / scene.dt));
  talus::Simulation simulation(scene, options);
  simulation.advance(1);  // compiles the passes
  const Stopwatch watch;
  simulation.advance(2);
  need_time(watch.stop(1).real_s / 2.0 * static_cast<double>(steps), what);
  simulation.advance(steps - simulation.step());
  return settled_.emplace(grains, simulation.grains()).first->second;
}

double bytes_per_grain(const talus::Scene& scene) {
  talus::Scene few = settling_box(scene.solver.method, 1000);
  few.solver = scene.solver;
  return static_cast<double>(talus::Simulation(few, {.device = "cpu"}).memory_bytes()) / 1000.0;
}

const std::vector<Suite>& all_suites() {
  static const std::vector<Suite> suites{
      {"step", "Simulated time by method and number of grains, falling and at rest", step_cases},
      {"passes", "ms of each pass, and how near to the memory's limit", passes_cases},
      {"scaling", "Cost by number of grains, iterations and bodies", scaling_cases},
      {"upsampling", "Cost of fine grains", upsampling_cases},
      {"render", "Pictures per second", render_cases}};
  return suites;
}

Plan plan(const RunOptions& options, std::uint64_t iterations, double iteration_s) {
  const double one = std::max(iteration_s, 1e-9);
  if (iterations == 0) {
    const double room = options.time_limit / std::max(options.repetitions, 1);
    iterations = static_cast<std::uint64_t>(std::max(1.0, std::ceil(std::min(repetition_s(options), room) / one)));
  }
  const double fit = options.time_limit / (one * static_cast<double>(iterations));
  return {iterations, static_cast<int>(std::min<double>(options.repetitions, std::floor(fit)))};
}

std::vector<Measured> run_case(const RunOptions& options, const std::string& suite, const Case& bench_case) {
  const std::string name = full_name(suite, bench_case, "");
  std::vector<Measured> measured;
  try {
    const Trial trial = bench_case.prepare();
    trial(1);  // compiles, and touches the memory
    const Stopwatch probe;
    const std::vector<Sample> first = trial(1);
    const double one = first.empty() ? probe.stop(1).real_s : first.front().real_s;
    const auto [iterations, repetitions] = plan(options, bench_case.iterations, one);
    if (repetitions == 0)
      throw Skip(fmt::format("one repetition would take about {}, more than --time-limit {:g}",
                             seconds_text(one * static_cast<double>(iterations)), options.time_limit));
    const Stopwatch all;
    for (int k = 0; k < repetitions && (k == 0 || all.stop(1).real_s < options.time_limit); ++k)
      for (const Sample& sample : trial(iterations))
        add(measured, full_name(suite, bench_case, sample.part), sample);
  } catch (const Skip& e) {
    measured.push_back({name, {}, e.what()});
  } catch (const talus::ResourceError& e) {
    measured.push_back({name, {}, e.what()});
  } catch (const talus::StateError& e) {
    measured.push_back({name, {}, e.what()});
  }
  return measured;
}

void run_suites(const RunOptions& options) {
  const std::vector<Suite> suites = chosen_suites(options);
  const std::vector<std::string> devices =
      options.device == "all" ? usable_devices() : std::vector<std::string>{options.device};
  const bool one_file = options.out.extension() == ".json";
  if (one_file && devices.size() > 1)
    throw UsageError("--device all needs a directory for --out: a file per device and suite");
  for (const std::string& device : devices) {
    Target target(options, device);
    fmt::print("{}\n{:<44} {:>11} {:>11} {:>4}\n", target.device.name, "name", "median ms", "least ms", "n");
    Results results{target.context, {}};
    for (const Suite& suite : suites) {
      const std::filesystem::path file =
          one_file ? options.out : options.out / folder_of(target.device.name) / (suite.name + ".json");
      if (!one_file)
        results = {target.context, {}};
      run_suite(suite, target, results, file);
      write_results(file, results);
    }
  }
}

Replay::Replay(talus::Simulation from)
    : simulation(std::move(from)), rebuilds_before_(simulation.rebuilds()),
      incremental_rebuilds_before_(simulation.incremental_rebuilds()),
      state_(std::filesystem::temp_directory_path() / fmt::format("talus-bench-{:08x}.state", std::random_device{}())) {
  simulation.save(state_);
}

Replay::~Replay() {
  std::error_code ignored;
  std::filesystem::remove(state_, ignored);
}

Sample Replay::advance(std::uint64_t steps) {
  simulation.resume(state_);
  wake(simulation.executor());
  const Stopwatch watch;
  simulation.advance(steps);
  return watch.stop(steps);
}

void add_quality(Sample& sample, talus::Simulation& simulation) {
  const talus::Scene& scene = simulation.scene();
  const talus::Measure measure = simulation.measure();
  const double grains = simulation.grain_count(), simulated = static_cast<double>(sample.iterations) * scene.dt;
  const double substeps = static_cast<double>(sample.iterations) * scene.solver.substeps;
  sample.counters = {{"grains", grains},
                     {"substeps", scene.solver.substeps},
                     {"solver_iterations", scene.solver.iterations},
                     {"simulated_s", simulated},
                     {"wall_s_per_simulated_s", sample.real_s / simulated},
                     {"ns_per_grain_step", 1e9 * sample.real_s / (grains * substeps)},
                     {"overlap_mean", measure.penetration_mean},
                     {"overlap_max", measure.penetration_max},
                     {"contacts_mean", measure.contacts_mean},
                     {"speed_max", measure.speed_max},
                     {"memory_bytes", static_cast<double>(simulation.memory_bytes())}};
}

}  // namespace bench
