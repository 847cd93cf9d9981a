#pragma once
// Results of the suites as files, in the shape of Google Benchmark's JSON, so that tools for that read ours, too.
#include "bench/json.h"
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bench {

using Counters = std::map<std::string, double>;

// One repetition, of a case or of a part of it.
struct Sample {
  std::string part;              // such as a pass; empty: the whole case
  std::uint64_t iterations = 1;  // what an iteration is says the suite
  double real_s = 0.0;           // s, of all iterations
  double cpu_s = 0.0;            // s, of the process on all cores; 0: not known
  Counters counters;
  std::string label;  // what counters cannot say
};

// All repetitions under one name; none where it was skipped.
struct Measured {
  std::string name;             // SUITE/CASE or SUITE/CASE/PART
  std::vector<Sample> samples;  // their part is in the name
  std::string skipped;          // why; empty: it was not

  std::vector<double> times() const;               // ms, real time of an iteration, per repetition
  double counter(const std::string& name) const;   // its median; NaN where there is none
  std::map<std::string, double> counters() const;  // medians of all
};

// A file. context: what it was measured on and with; a free object.
struct Results {
  Json context;
  std::vector<Measured> measured;
};

Json to_json(const Results& results);
void write_results(const std::filesystem::path& file, const Results& results);
// Throws UsageError with the file and what is missing or wrong in it.
Results read_results(const std::filesystem::path& file);
Results results_of(const Json& json, const std::string& file);

}  // namespace bench
