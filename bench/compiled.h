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

// Cycles that a compute unit's SIMD is busy with all invocations of a step: the inverse throughput of a subgroup by the
// number of subgroups. NaN where it is not told. ACO, RADV's compiler, counts a loop as eight rounds of it.
double cycles_of_step(const CompiledPass& pass);

Json to_json(const Compiled& compiled);
bool is_compiled(const Json& json);  // or results of the suites
// Throws UsageError with the file and what is missing or wrong in it.
Compiled compiled_of(const Json& json, const std::string& file);
Compiled read_compiled(const std::filesystem::path& file);

// Per scene a line for each pass, the dearest first, and a column for each driver.
std::string table_of(const Compiled& compiled);

}  // namespace bench
