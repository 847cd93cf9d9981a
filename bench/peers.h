#pragma once
// Talus beside other engines, on the case of scenes/box_settle.toml.
#include "bench/results.h"
#include "engine/talus.h"
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct PeersOptions {
  std::vector<unsigned> grains{1000, 10'000, 50'000};
  std::vector<std::string> only;  // names of programs; empty: all
  bool rotation = true;           // do grains rotate, in all programs alike?
  int core = 0;                   // that all of them run on
  std::filesystem::path out;      // JSON as that of run; empty: none
};

// Runs what is installed, and names what is missing.
void run_peers(const PeersOptions& options);

// The bed after a run with one size of step: mean overlap [radii] and rms speed [m/s]; NaN where the run failed.
struct StepTrial {
  double overlap = NAN, speed_rms = NAN;
};
// Of trials with ever shorter steps, the first one from which on all rest, at most twice as fast as the last one or below
// `still` [m/s], and whose mean overlap is at most 5 % above `overlap` [radii]; without one, above the median of those that
// rest, since beds of few grains differ by 4 % from step to step. None where the last does not rest, or none is so good.
std::optional<std::size_t> largest_step(std::span<const StepTrial> trials, std::optional<double> overlap, double still);

// What the peers read and write, in LAMMPS's formats.
std::string grains_file(std::span<const talus::GrainState> grains, const talus::Scene& scene);
std::vector<double> loop_times(const std::string& printed);                           // s
std::vector<talus::GrainState> final_grains(const std::string& dump, double radius);  // of the last snapshot

}  // namespace bench
