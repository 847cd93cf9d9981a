// The program `talus-bench`: how fast Talus is, the experiments of the papers, and the book of evidence.
#include "bench/compare.h"
#include "bench/compile.h"
#include "bench/compile_scenes.h"
#include "bench/json.h"
#include "bench/laws/book.h"
#include "bench/papers.h"
#include "bench/peers.h"
#include "bench/report_page.h"
#include "bench/suite.h"
#include "engine/base/atomic_file.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>
#include <thread>

namespace {

// Exit statuses as those of the program talus; compare has a meaning of its own for 1.
enum Status { done = 0, failed = 1, slower = 1, usage = 2, no_device = 3, out_of_resources = 4, invalid_state = 5 };

// A verb of the program: its options, and what runs once they are read.
struct Verb {
  CLI::App* app;
  std::function<int()> run;
};

// Where the simulations of a verb run, and how many of them at a time.
void add_workers(CLI::App* verb, std::string& device, int& workers) {
  workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  verb->add_option("--device", device, "auto, cpu, or index or part of the name as in `talus devices`")
      ->type_name("DEVICE")
      ->capture_default_str();
  verb->add_option("--threads", workers, "Simulations at a time on the CPU path; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
}

int list_or_run(const auto& given, auto list, auto run) {
  if (given.list) {
    list();
    return done;
  }
  if (given.options.out.empty())
    throw bench::UsageError("--out is missing: name the directory for the results");
  run(given.options);
  return done;
}

Verb papers_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("papers", "Repeats the experiments of the papers");
  struct Given {
    bench::PapersOptions options;
    bool list = false;
  };
  auto given = std::make_shared<Given>();
  bench::PapersOptions& options = given->options;
  verb->add_option("--out", options.out, "Directory for papers.md, and a .csv, .gp and .svg of each experiment")
      ->type_name("DIR");
  verb->add_flag("--quick", options.quick, "Short versions with fewer grains and methods");
  verb->add_option("--only", options.only, "Runs these alone")->type_name("NAME");
  add_workers(verb, options.device, options.workers);
  verb->add_flag("!--no-plots", options.plots, "Without gnuplot, no .gp and .svg");
  verb->add_flag("--list", given->list, "Names the experiments and what they take, and runs none");
  return {verb, [given] { return list_or_run(*given, bench::list_papers, bench::run_papers); }};
}

Verb laws_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("laws", "Holds simulations against laws, theory and experiments");
  struct Given {
    bench::BookOptions options;
    bool list = false;
  };
  auto given = std::make_shared<Given>();
  bench::BookOptions& options = given->options;
  verb->add_option("--out", options.out, "Directory for laws.html, laws.md and what they are made from")
      ->type_name("DIR");
  verb->add_flag("--quick", options.quick, "Short versions, with dem alone: whether it works, not what is true");
  verb->add_option("--only", options.only, "Runs these alone; the page keeps the others that are in the directory")
      ->type_name("NAME");
  verb->add_option("--method", options.methods, "Of dem, vts and sp these alone")
      ->type_name("NAME")
      ->check(CLI::IsMember({"dem", "vts", "sp"}));
  add_workers(verb, options.device, options.workers);
  verb->add_flag("--list", given->list, "Names the cases and what they take, and runs none");
  return {verb, [given] { return list_or_run(*given, bench::list_laws, bench::run_laws); }};
}

Verb run_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("run", "Measures how fast simulations are");
  auto options = std::make_shared<bench::RunOptions>();
  std::string suites = "Runs these alone:";
  for (const bench::Suite& suite : bench::all_suites())
    suites += fmt::format("\n  {}: {}", suite.name, suite.what);
  verb->add_option("--suite", options->suites, suites)->type_name("NAME");
  verb->add_option("--device", options->device, "auto, cpu, all, or index or part of the name as in `talus devices`")
      ->type_name("DEVICE")
      ->capture_default_str();
  verb->add_flag("--quick", options->quick, "Few and small cases: whether it works, not how fast");
  verb->add_option("--only", options->only, "Runs the cases with this in SUITE/CASE alone")->type_name("NAME");
  verb->add_option("--repetitions", options->repetitions, "Of each case, where --time-limit has room for them")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--time-limit", options->time_limit, "Of each case, about; what takes longer is skipped")
      ->type_name("S")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--out", options->out, "FILE.json, or a directory for DEVICE/SUITE.json")
      ->type_name("FILE|DIR")
      ->required();
  return {verb, [options] {
            bench::run_suites(*options);
            return done;
          }};
}

// How far a figure may grow, and how many passes a baseline has of a driver.
constexpr double figures_grow = 0.03;
constexpr std::size_t baseline_passes = 14;

int checked(const bench::Compiled& compiled, const std::filesystem::path& baseline) {
  const bench::Check found =
      bench::check(bench::compiled_of(bench::read_json(baseline), baseline.string()), compiled, figures_grow);
  for (const std::string& note : found.notes)
    fmt::print("note: {}\n", note);
  for (const std::string& problem : found.problems)
    fmt::print("{}\n", problem);
  fmt::print("passes: {}, drivers: {}, problems: {}\n", compiled.passes.size(), compiled.drivers.size(),
             found.problems.size());
  return found.problems.empty() ? done : slower;
}

Verb compile_verb(CLI::App& app, const std::string& program) {
  CLI::App* verb = app.add_subcommand("compile", "Tells what compilers make of the passes of scenes, and runs nothing");
  struct Given {
    bench::CompileOptions options;
    std::string json, baseline, check;
    bool here = false;
  };
  auto given = std::make_shared<Given>();
  given->options.program = program;
  std::string scenes = "A scene of the folder scenes, NAME.toml, every (all passes there are, for a scene that has "
                       "everything), or one of these, which all are the default:";
  for (const bench::CompiledScene& scene : bench::common_scenes())
    scenes += fmt::format("\n  {}: {}", scene.name, scene.what);
  verb->add_option(
          "--family", given->options.families,
          fmt::format("Families of AMD that Mesa's RADV compiles for without their hardware, and devices: those "
                      "of this machine; default: {} devices",
                      fmt::join(bench::default_families(), " ")))
      ->type_name("NAME");
  verb->add_option("--scene", given->options.scenes, scenes)->type_name("SCENE");
  CLI::Option* json = verb->add_option("--json", given->json, "Figures for scripts, into the file or to stdout")
                          ->type_name("[FILE]")
                          ->expected(0, 1);
  verb->add_option("--baseline", given->baseline,
                   fmt::format("Writes the {} dearest passes of each driver, for --check", baseline_passes))
      ->type_name("FILE");
  verb->add_option(
          "--check", given->check,
          fmt::format("Exit status 1 where a pass spills registers, or a figure of a pass of this baseline grew "
                      "by more than {:g} %",
                      100.0 * figures_grow))
      ->type_name("FILE");
  verb->add_flag("--here", given->here)->group("");  // how compile() runs this program for one family
  return {verb, [given, json]() -> int {
            const bench::CompileOptions& options = given->options;
            const bench::Compiled compiled =
                given->here ? bench::compile_here(options.families.at(0), options.scenes) : bench::compile(options);
            if (!given->json.empty())
              talus::write_file(given->json, bench::text_of(compiled));
            if (!given->baseline.empty())
              talus::write_file(given->baseline, bench::text_of(bench::dearest(compiled, baseline_passes)));
            if (!given->check.empty())
              return checked(compiled, given->check);
            fmt::print("{}", *json && given->json.empty() ? bench::text_of(compiled) : bench::table_of(compiled));
            return done;
          }};
}

Verb compare_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "compare",
      "Tells what became slower from one result to another, or what grew; exit status 1 where something did");
  struct Given {
    std::filesystem::path before, after;
    double percent = 5.0;
  };
  auto given = std::make_shared<Given>();
  verb->add_option("before", given->before, "Results of talus-bench run or compile")->type_name("A.json")->required();
  verb->add_option("after", given->after, "The same later, or elsewhere")->type_name("B.json")->required();
  verb->add_option("--threshold", given->percent, "Changes up to this do not count")
      ->type_name("PERCENT")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  return {verb,
          [given] { return bench::compare(given->before, given->after, given->percent / 100.0) ? slower : done; }};
}

Verb report_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("report", "Shows results as a page that needs nothing but a browser");
  struct Given {
    std::vector<std::filesystem::path> files, before;
    std::filesystem::path out;
  };
  auto given = std::make_shared<Given>();
  verb->add_option("results", given->files, "Results of talus-bench run, or directories of them")
      ->type_name("FILE|DIR")
      ->required();
  verb->add_option("-o,--out", given->out, "The page")->type_name("FILE.html")->required();
  verb->add_option("--against", given->before, "Older results: the page tells what changed since")
      ->type_name("FILE|DIR");
  return {verb, [given] {
            bench::write_report(given->files, given->before, given->out);
            return done;
          }};
}

Verb peers_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("peers", "Runs a settling box with Talus and other engines that are installed");
  auto options = std::make_shared<bench::PeersOptions>();
  verb->add_option("--grains", options->grains, "Numbers of grains; default: 1000 10000 50000")
      ->type_name("N")
      ->check(CLI::Range(1u, 10'000'000u));
  verb->add_option("--only", options->only, "Of talus, lammps, liggghts and bullet these alone")->type_name("NAME");
  verb->add_flag("!--no-rotation", options->rotation, "Grains do not rotate, in any program");
  verb->add_option("--core", options->core, "All run on this one")
      ->type_name("N")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
  verb->add_option("--out", options->out, "Results as those of run")->type_name("FILE.json");
  return {verb, [options] {
            bench::run_peers(*options);
            return done;
          }};
}

int bench_main(int argc, char** argv) {
  CLI::App app("How fast Talus is, and experiments with it.", "talus-bench");
  app.require_subcommand(1);
  const Verb verbs[] = {run_verb(app),   compile_verb(app, argv[0]), compare_verb(app), report_verb(app),
                        peers_verb(app), papers_verb(app),           laws_verb(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw bench::UsageError(fmt::format("{}; see talus-bench --help", e.what()));
  }
  for (const Verb& verb : verbs)
    if (*verb.app)
      return verb.run();
  return usage;
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
