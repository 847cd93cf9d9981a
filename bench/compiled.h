#pragma once
// What drivers say of the code that they have made of passes: as a file, as a table, and against an earlier file.
#include "bench/results.h"
#include <map>
#include <string>
#include <vector>

namespace bench {

struct CompiledDriver {
  std::string name;             // the family of an AMD GPU that is not there; else the device's name
  std::string device, version;  // the device's name as the driver gives it; the driver and its version
  bool statistics = false;      // it tells more than that the code was compiled
};

// A pass of a scene on a driver.
struct CompiledPass {
  std::string scene, pass, driver;
  double runs = 0.0;                // of a step; 0: on request alone (talus::PlannedPass)
  double invocations = 0.0;         // of all these runs
  std::uint32_t subgroup_size = 0;  // threads; 0: not known
  double compile_ms = 0.0;
  std::string error;                         // why it was not compiled; empty: it was
  std::map<std::string, double> statistics;  // by key_of() the driver's name
};

struct Compiled {
  Json context;
  std::vector<CompiledDriver> drivers;
  std::vector<CompiledPass> passes;
};

// "Spilled VGPRs" is spilled_vgprs.
std::string key_of(const std::string& statistic);

double statistic_of(const CompiledPass& pass, const std::string& key);  // NaN: the driver does not tell
double spills_of(const CompiledPass& pass);                             // registers; 0 too where it is not told

// Of each pass its share of the cycles that the SIMDs of a GPU are busy with in a step of its scene on its driver: the
// inverse throughput of a subgroup [cycles] by the number of subgroups in the step. NaN where it is not told. ACO,
// RADV's compiler, counts a loop as eight rounds of it, whatever the scene does there.
std::vector<double> shares_of(const Compiled& compiled);

// On each driver the n passes with the greatest share in any scene, in all scenes that have them, with the figures that
// check() compares.
Compiled dearest(const Compiled& compiled, std::size_t n);

// A figure of a pass that both have: registers, instructions, bytes of code, inverse throughput [cycles], spills.
struct FigureChange {
  std::string name;  // scene/pass on driver
  std::string driver, key;
  double before, after;

  double ratio() const;                                                    // 1 where both are 0
  bool grew(double threshold) const { return ratio() > 1.0 + threshold; }  // 0.03: by more than 3 %
};
std::vector<FigureChange> changes_of(const Compiled& before, const Compiled& after);

// Prints the figures that differ; whether one grew beyond the threshold. Throws UsageError where they have no pass in
// common.
bool compare(const Compiled& before, const Compiled& after, double threshold);

// The result of check(): problems of passes, and notes of what was not looked at; a sentence each.
struct Check {
  std::vector<std::string> problems, notes;
};
// Passes that spill or that are not compiled; figures that grew beyond the threshold, where driver and version are
// those of the baseline; and passes that only the baseline has of a scene that both have.
Check check(const Compiled& baseline, const Compiled& now, double threshold);

Json to_json(const Compiled& compiled);
std::string text_of(const Compiled& compiled);  // the same as text, a line for each pass
bool is_compiled(const Json& json);             // or results of the suites
// Throws UsageError with the file and what is missing or wrong in it.
Compiled compiled_of(const Json& json, const std::string& file);

// Per scene a line for each pass, the dearest first, and a column for each driver.
std::string table_of(const Compiled& compiled);

}  // namespace bench
