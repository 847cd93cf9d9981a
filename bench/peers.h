#pragma once
// Talus beside other engines, on the case of scenes/box_settle.toml.
#include "bench/results.h"
#include "engine/talus.h"
#include <span>
#include <string>
#include <vector>

namespace bench {

struct PeersOptions {
  std::vector<unsigned> grains{1000, 10'000, 50'000};
  std::vector<std::string> only;  // names of programs; empty: all
  int core = 0;                   // that all of them run on
  std::filesystem::path out;      // JSON as that of run; empty: none
};

// Runs what is installed, and names what is missing.
void run_peers(const PeersOptions& options);

// What the peers read and write, in LAMMPS's formats.
std::string grains_file(std::span<const talus::GrainState> grains, const talus::Scene& scene);
double loop_time(const std::string& printed);                                         // s; NaN where none was printed
std::vector<talus::GrainState> final_grains(const std::string& dump, double radius);  // of the last snapshot

}  // namespace bench
