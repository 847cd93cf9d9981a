// The program `talus`: reads the command line, does what its verb says, and ends with the statuses of viewer/status.h.
#include "engine/core/ranks.h"
#ifdef TALUS_MPI
#include "engine/mpi/ranks.h"
#endif
#include "engine/scene/nearest.h"
#include "engine/scene/words.h"
#include "viewer/commands.h"
#include "viewer/run.h"
#include "viewer/sibling.h"
#include "viewer/status.h"
#include "viewer/terminal.h"
#include "viewer/version.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>

namespace {

using viewer::UsageError;

// The command line as it stands, before anything is made of it.
struct Arguments {
  viewer::RunOptions run;
  std::vector<std::filesystem::path> scenes;  // of check
  std::string format, size = "1280x720", quality;
  viewer::FrameOptions frames;
  std::optional<std::uint64_t> seed;
  bool json = false, dot = false, no_timing = false;
};

// Numbers from 0 on, for an end: at 0 the start is all there is.
const CLI::Validator not_negative(
    [](std::string& text) {
      double value = 0.0;
      return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0.0
                 ? std::string()
                 : fmt::format("'{}' is not a number from 0 on", text);
    },
    "");

// Numbers above 0 that a time or a rate may have.
const CLI::Validator positive(
    [](std::string& text) {
      double value = 0.0;
      return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0.0
                 ? std::string()
                 : fmt::format("'{}' is not a number above 0", text);
    },
    "");

// CLI11 itself reads -5 as a very large number.
const CLI::Validator whole(
    [](std::string& text) {
      return text.find_first_not_of("0123456789") == std::string::npos
                 ? std::string()
                 : fmt::format("'{}' is not a whole number from 0 on", text);
    },
    "");

void add_scene(CLI::App* verb, Arguments& a) {
  verb->add_option("SCENE", a.run.scene, "Scene file (TOML)")->required();
}

void add_overrides(CLI::App* verb, Arguments& a) {
  verb->add_option("--set", a.run.overrides, "Overrides a value of the scene; may be repeated")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--seed", a.seed, "The same as --set scene.seed=N")->type_name("N")->check(whole);
}

void add_device(CLI::App* verb, Arguments& a) {
  verb->add_option("--device", a.run.engine.device, "auto, cpu, or index or part of the name as in `talus devices`")
      ->type_name("DEVICE")
      ->capture_default_str();
  verb->add_option("--threads", a.run.engine.threads, "Threads of the CPU path; 0: all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str();
  verb->add_flag_callback(
      "--validation", [&a] { a.run.engine.validation = true; }, "Vulkan validation layer");
}

// What `run` and `render` share.
void add_run(CLI::App* verb, Arguments& a) {
  viewer::RunOptions& run = a.run;
  auto* scene = verb->add_option("SCENE", run.scene, "Scene file (TOML)");
  add_device(verb, a);
  add_overrides(verb, a);
  auto* time = verb->add_option("--time", run.time, "End, from the start of the scene; default: the scene's end");
  time->type_name("S")->check(not_negative);
  verb->add_option("--steps", run.steps, "End, in steps from the start of the scene")
      ->type_name("N")
      ->check(whole)
      ->excludes(time);
  verb->add_option("--report", run.report, "Writes the report at the end (JSON)")->type_name("FILE");
  auto* metrics = verb->add_option("--metrics", run.metrics, "Writes a table of the state over time (CSV)");
  metrics->type_name("FILE");
  verb->add_option("--metrics-every", run.metrics_every, "Time between its rows; default: 1/100 of the run")
      ->type_name("S")
      ->check(positive)
      ->needs(metrics);
  verb->add_option("--save", run.save, "Writes the final state, to go on from with --resume")->type_name("FILE");
  verb->add_option("--resume", run.resume, "Goes on from a saved state of this scene")->type_name("FILE");
  auto* replay = verb->add_option("--replay", run.replay, "Instead of SCENE: inputs that were saved in `talus view`");
  replay->type_name("FILE")->excludes(scene)->excludes("--set")->excludes("--seed")->excludes("--resume");
  verb->add_flag("--verify", run.engine.verify,
                 "Compares every pass with its reference, with --device cpu those that are vectorised (slow)");
  verb->add_flag("--no-timing", a.no_timing,
                 "Does not measure the passes for the report: small scenes run faster on a fast GPU");
}

void add_export(CLI::App* verb, Arguments& a, CLI::Option* needed, const char* default_format) {
  auto* format = verb->add_option(
      "--format", a.format,
      fmt::format("Exports grains and bodies: csv, ply, vtp or vtkhdf (ParaView), extxyz (OVITO), gsd (HOOMD-blue) or "
                  "usda (Blender){}",
                  default_format));
  format->type_name("FORMAT")->needs(needed);
  verb->add_flag("--contacts", a.run.contacts, "Exports contacts with their forces, and the force on each grain")
      ->needs(needed);
  verb->add_option("--every", a.run.every, "Time between exports; default: 1/100 of the run")
      ->type_name("S")
      ->check(positive)
      ->needs(needed);
}

void read_size(const std::string& text, viewer::FrameOptions& frames) {
  constexpr int smallest = 16, largest = 8192;
  int used = 0;
  const int read = std::sscanf(text.c_str(), "%5dx%5d%n", &frames.width, &frames.height, &used);
  if (read != 2 || static_cast<std::size_t>(used) != text.size() || std::min(frames.width, frames.height) < smallest ||
      std::max(frames.width, frames.height) > largest)
    throw UsageError(
        fmt::format("--size {}: give it as WIDTHxHEIGHT, each from {} to {}, as in 1280x720", text, smallest, largest));
}

talus::Format read_format(const std::string& text) {
  try {
    return talus::parse_format(text);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--format: {}", e.what()));
  }
}

// The first word must be a verb; CLI11 says no more than that one is missing.
void check_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-')
    return;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  if (std::ranges::find(verbs, argv[1]) == verbs.end())
    throw UsageError(fmt::format("{} is not a command of talus{}; the commands are {}; see talus --help", argv[1],
                                 talus::reading::did_you_mean(argv[1], verbs), fmt::join(verbs, ", ")));
}

// "; did you mean --steps?", for the first option that the verb does not know.
std::string nearest_option(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  for (const std::string& word : verb.remaining())
    if (word.starts_with("-"))
      return talus::reading::did_you_mean(word.substr(0, word.find('=')), names);
  return "";
}

int talus_main(int argc, char** argv, std::shared_ptr<talus::RankGroup> ranks) {
  Arguments a;
  a.run.engine.ranks = std::move(ranks);
  CLI::App app("Granular material on any device with Vulkan 1.3, and on the CPU.", "talus");
  app.require_subcommand(1);
  app.set_version_flag("--version", viewer::version_text, "Version, commit, Vulkan headers and compiler");

  CLI::App* run = app.add_subcommand("run", "Simulates a scene");
  add_run(run, a);
  CLI::Option* out = run->add_option("--out", a.run.out, "Directory for exports")->type_name("DIR");
  add_export(run, a, out, "; default: csv");

  CLI::App* render = app.add_subcommand("render", "Simulates a scene and draws it, without a window");
  add_run(render, a);
  out = render->add_option("--out", a.frames.directory, "Directory for frame_00000.png .. and final.png");
  out->type_name("DIR")->required();
  add_export(render, a, out, "; default: none");
  render->add_option("--size", a.size, "Of a frame, in pixels")->type_name("WxH")->capture_default_str();
  render->add_option("--fps", a.frames.fps, "Frames per simulated second")
      ->type_name("N")
      ->check(positive)
      ->check(CLI::Range(0.0, 10000.0))
      ->capture_default_str();
  render->add_option("--quality", a.quality, "draft, good or film; default: output.quality of the scene")
      ->type_name("WORD")
      ->check(CLI::IsMember(talus::words<talus::Quality>));
  render->add_option("--video", a.frames.video, "Video as well, by ffmpeg (.mp4, .webm ..)")->type_name("FILE");

  CLI::App* devices = app.add_subcommand("devices", "Lists what Talus can run on, and what it cannot run on and why");
  devices->add_flag("--json", a.json, "As JSON");

  CLI::App* check = app.add_subcommand("check", "Reads and checks scenes, without running them");
  check->add_option("SCENE", a.scenes, "Scene files (TOML)")->required();
  check->add_option("--set", a.run.overrides, "Overrides a value of the scenes; may be repeated")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);

  CLI::App* keys = app.add_subcommand("keys", "Prints the reference of all keys of a scene file (Markdown)");

  CLI::App* graph =
      app.add_subcommand("graph", "Shows the passes of a step, what they read and write, and the barriers");
  add_scene(graph, a);
  add_device(graph, a);
  add_overrides(graph, a);
  graph->add_flag("--dot", a.dot, "As a Graphviz graph");

  CLI::App* view = app.add_subcommand("view", "Shows a scene in a window; see talus view --help");
  view->prefix_command()->set_help_flag();

  CLI::App* fit = app.add_subcommand("fit", "Finds a material from measurements; see talus fit --help");
  fit->prefix_command()->set_help_flag();

  check_verb(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ExtrasError& e) {
    const std::vector<CLI::App*> verbs = app.get_subcommands();
    throw UsageError(fmt::format("{}{}; see talus --help, talus run --help", e.what(),
                                 nearest_option(verbs.empty() ? app : *verbs[0])));
  } catch (const CLI::ParseError& e) {
    throw UsageError(fmt::format("{}; see talus --help, talus run --help", e.what()));
  }

  if (a.run.engine.ranks && (view->parsed() || fit->parsed()))
    throw UsageError("talus view and talus fit run in one process: start them without mpirun");
  if (view->parsed())
    return viewer::become_sibling(argv[0], "talus-view", view->remaining());
  if (fit->parsed())
    return viewer::become_python("talus", "fit", fit->remaining());
  if (devices->parsed())
    return viewer::devices(a.json);
  if (check->parsed())
    return viewer::check(a.scenes, a.run.overrides);
  if (keys->parsed())
    return viewer::keys();

  a.run.engine.timing = !a.no_timing && !a.run.report.empty();  // who else would see them
  if (a.seed)
    a.run.overrides.push_back(fmt::format("scene.seed={}", *a.seed));
  if (graph->parsed())
    return viewer::graph(a.run.scene, a.run.overrides, a.run.engine, a.dot);

  if (a.run.scene.empty() && a.run.replay.empty())
    throw UsageError("give a scene file, or --replay FILE; see talus run --help");
  if (render->parsed()) {
    read_size(a.size, a.frames);
    for (std::size_t k = 0; k < talus::words<talus::Quality>.size(); ++k)
      if (a.quality == talus::words<talus::Quality>[k])
        a.frames.quality = static_cast<talus::Quality>(k);
    a.run.frames = a.frames;
    if (!a.format.empty() || a.run.every)
      a.run.out = a.frames.directory;
  }
  if (!a.format.empty())
    a.run.format = read_format(a.format);
  return viewer::run(a.run);
}

// The processes that mpirun has started; null without it.
std::shared_ptr<talus::RankGroup> join_ranks([[maybe_unused]] int& argc, [[maybe_unused]] char**& argv) {
#ifdef TALUS_MPI
  return talus::mpi::join(argc, argv, viewer::version_text());
#else
  return nullptr;
#endif
}

// Rank 0 decides when to stop: mpirun hands the signals that ask for it to all.
void serve(talus::RankGroup& ranks) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  ranks.serve();
}

}  // namespace

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // at a limit of file sizes, writing fails and says so
#endif
  int status = viewer::done;
  const auto attempt = [&](auto&& part) {
    try {
      part();
    } catch (...) {
      status = std::max(status, viewer::tell_error());
    }
  };
  attempt([&] {
    const std::shared_ptr<talus::RankGroup> ranks = join_ranks(argc, argv);
    if (ranks && ranks->rank() > 0)
      return serve(*ranks);
    status = talus_main(argc, argv, ranks);
  });
  attempt(viewer::finish_output);
  return status;
}
