// The program `talus-bench`: repeats the experiments of the papers, and some beyond them.
#include "bench/papers.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <thread>

namespace {

// Exit statuses as those of the program talus.
enum Status { done = 0, failed = 1, usage = 2, no_device = 3, out_of_resources = 4, invalid_state = 5 };

int bench_main(int argc, char** argv) {
  bench::PapersOptions options;
  bool list = false;
  options.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App app("Experiments with Talus.", "talus-bench");
  app.require_subcommand(1);
  CLI::App* papers = app.add_subcommand("papers", "Repeats the experiments of the papers");
  papers->add_option("--out", options.out, "Directory for papers.md, and a .csv, .gp and .svg of each experiment")
      ->type_name("DIR");
  papers->add_flag("--quick", options.quick, "Short versions with fewer grains and methods");
  papers->add_option("--only", options.only, "Runs these alone")->type_name("NAME");
  papers->add_option("--device", options.device, "auto, cpu, or index or part of the name as in `talus devices`")
      ->type_name("DEVICE")
      ->capture_default_str();
  papers->add_option("--threads", options.workers, "Simulations at a time on the CPU path; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  papers->add_flag("!--no-plots", options.plots, "Without gnuplot, no .gp and .svg");
  papers->add_flag("--list", list, "Names the experiments and what they take, and runs none");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw bench::UsageError(fmt::format("{}; see talus-bench papers --help", e.what()));
  }
  if (list) {
    bench::list_papers();
    return done;
  }
  if (options.out.empty())
    throw bench::UsageError("--out is missing: name the directory for the results");
  bench::run_papers(options);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  const auto tell = [](const char* what, int status) {
    std::fflush(stdout);
    fmt::print(stderr, "error: {}\n", what);
    return status;
  };
  try {
    return bench_main(argc, argv);
  } catch (const bench::UsageError& e) {
    return tell(e.what(), usage);
  } catch (const bench::PlotError& e) {
    return tell(e.what(), usage);
  } catch (const talus::DeviceError& e) {
    return tell(e.what(), no_device);
  } catch (const talus::ResourceError& e) {
    return tell(e.what(), out_of_resources);
  } catch (const talus::StateError& e) {
    return tell(e.what(), invalid_state);
  } catch (const std::exception& e) {
    return tell(e.what(), failed);
  }
}
