#pragma once
// What an experiment is: a claim, scenes that test it, and what came out. One file per family lists its experiments.
#include "bench/plot.h"
#include "bench/table.h"
#include "engine/talus.h"
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bench {

// What the user asked for.
struct Context {
  std::string device = "auto";
  int workers = 1;  // simulations at a time
  bool quick = false;

  // A number of the full experiment, or of its short version.
  template <class T> T pick(T full, T short_one) const { return quick ? short_one : full; }
};

// One claim and what became of it.
struct Finding {
  std::string claim, measured;
  bool agrees;
  std::string comment;  // one sentence
};

struct Result {
  std::vector<Finding> findings;
  Table summary;  // for papers.md
  Table data;     // NAME.csv; empty: the summary
  Plot plot;
};

struct Experiment {
  std::string name, title, source;  // who claims
  double minutes;                   // of one core, about, on the CPU path
  std::function<Result(const Context&)> run;
};

std::vector<Experiment> holz_experiments();
std::vector<Experiment> francu_experiments();
std::vector<Experiment> francu_cloth_experiments();
std::vector<Experiment> granulargym_experiments();
std::vector<Experiment> sommer_experiments();
std::vector<Experiment> sommer_fine_experiments();
std::vector<Experiment> beyond_experiments();
std::vector<Experiment> body_experiments();
std::vector<Experiment> coupling_experiments();
std::vector<Experiment> demonstration_experiments();

}  // namespace bench
