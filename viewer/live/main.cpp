// The program `talus-view`: what `talus view` starts. On its own, so that only it links a window library.
#include "viewer/live/app.h"
#include "viewer/sibling.h"
#include "viewer/status.h"
#include "viewer/stop.h"
#include "viewer/terminal.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

using viewer::UsageError;

glm::ivec2 read_size(const std::string& text) {
  glm::ivec2 size(0);
  int used = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%n", &size.x, &size.y, &used) != 2 ||
      static_cast<std::size_t>(used) != text.size() || std::min(size.x, size.y) < 240 ||
      std::max(size.x, size.y) > 16384)
    throw UsageError(fmt::format("--size {}: give it as WIDTHxHEIGHT, each from 240 to 16384, as in 1280x720", text));
  return size;
}

void print_split(const viewer::Statistics& statistics) {
  const viewer::Statistics::Split split = statistics.mean_split();
  viewer::print_out("{} frames, ms each: simulation {:.3g}, drawing {:.3g}, idle {:.3g}\n", statistics.frames(),
                    split.simulation, split.drawing, split.idle);
  for (const viewer::Statistics::Pass& pass : statistics.drawing())
    viewer::print_out("  {:<18} {:.3g}\n", pass.name, pass.ms);
}

int view(int argc, char** argv) {
  viewer::ViewOptions options;
  std::string size;
  std::optional<std::uint64_t> seed, frame_times;
  CLI::App app("Shows a scene in a window: look, change, drive, record.", "talus view");
  app.add_option("SCENE", options.scene,
                 "Scene file (TOML); without one: at first an hourglass, later the list of scenes");
  app.add_option("--device", options.device, "auto, cpu, or index or part of the name as in `talus devices`")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads of the CPU path; 0: all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str();
  app.add_option("--set", options.overrides, "Overrides a value of the scene; may be repeated")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", seed, "The same as --set scene.seed=N")->type_name("N");
  app.add_option("--size", size, "Of the window, in points; default: as it was last")->type_name("WxH");
  app.add_option("--replay", options.replay, "Plays inputs back that were saved in the panel Record")
      ->type_name("FILE")
      ->excludes("SCENE");
  app.add_option("--frame-times", frame_times, "Ends after so many frames and says where their time went")->group("");
  app.add_flag("--paused", options.paused, "Does not play at first");
  app.add_flag_callback(
      "--validation", [&options] { options.validation = true; }, "Vulkan validation layer");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw UsageError(fmt::format("{}; see talus view --help", e.what()));
  }
  if (!size.empty())
    options.size = read_size(size);
  if (seed)
    options.overrides.push_back(fmt::format("scene.seed={}", *seed));
  options.remembered = viewer::remembered_folder();
  options.welcome = true;
  options.program = viewer::sibling(argv[0], "talus");

  viewer::listen_for_stop();
  viewer::App window(options);
  try {
    const auto enough = [&] { return frame_times && window.statistics().frames() >= *frame_times; };
    while (!viewer::stop_signal() && window.frame() && !enough()) {
    }
    if (frame_times)
      print_split(window.statistics());
  } catch (...) {
    const int status = viewer::tell_error();
    window.rescue();
    return status;
  }
  return viewer::stop_signal() ? 128 + viewer::stop_signal() : viewer::done;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return view(argc, argv);
  } catch (const viewer::NoWindow& e) {
    viewer::print_err("error: {}\n", e.what());
    return viewer::no_device;
  } catch (...) {
    return viewer::tell_error();
  }
}
