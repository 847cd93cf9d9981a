#pragma once
// Runs experiments and writes what came out.
#include "bench/error.h"
#include "bench/experiment.h"
#include <filesystem>

namespace bench {

struct PapersOptions {
  std::filesystem::path out;
  std::vector<std::string> only;  // empty: all
  std::string device = "auto";
  int workers = 1;
  bool quick = false, plots = true;
};

std::vector<Experiment> all_experiments();
void list_papers();
void run_papers(const PapersOptions& options);

}  // namespace bench
