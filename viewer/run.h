#pragma once
#include "engine/io/series.h"
#include "engine/talus.h"
#include "viewer/frames.h"
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace viewer {

// What `run` and `render` are asked for. Times count from the start of the scene, in resumed runs too.
struct RunOptions {
  std::filesystem::path scene;
  std::filesystem::path replay;        // of inputs, instead of `scene`; empty: none
  std::vector<std::string> overrides;  // as after --set
  talus::Options engine;
  std::optional<double> time;                           // s; unset: the end of the scene, or of the inputs
  std::optional<std::uint64_t> steps;                   // instead of time
  std::filesystem::path report, metrics, save, resume;  // empty: none
  std::optional<double> metrics_every;                  // s; unset: a hundredth of the run
  std::filesystem::path out;                            // of what is exported; empty: none
  talus::Format format = talus::Format::csv;
  std::optional<double> every;  // s; unset: a hundredth of the run
  bool contacts = false;        // exported as well
  std::optional<FrameOptions> frames;
};

// Simulates to the end, or until SIGINT or SIGTERM, and writes what was asked for. Returns the exit status.
int run(const RunOptions& options);

}  // namespace viewer
