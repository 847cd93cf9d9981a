#pragma once
// Suites of speed: cases that run on one device, how they are run, and what they give.
#include "bench/results.h"
#include "engine/talus.h"
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct RunOptions {
  std::vector<std::string> suites;  // empty: all
  std::vector<std::string> only;    // parts of the names of cases; empty: all
  std::string device = "auto";      // as `talus devices` names them, or all
  std::filesystem::path out;        // NAME.json: one file; else a directory: DEVICE/SUITE.json in it
  int repetitions = 5;
  double time_limit = 60.0;  // s, about, of a case
  bool quick = false;        // few and small cases: that it runs, not how fast
};

// A case that cannot run here, and why.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device under test, with what cases share.
class Target {
public:
  Target(const RunOptions& options, const std::string& device);

  const RunOptions& run;
  talus::Options options;  // for simulations: the device, kept open from one to the next
  talus::DeviceSummary device;
  std::uint64_t memory_bytes = 0;  // of the device, or free in the machine
  Json context;                    // what it is measured on and with

  template <class T> T pick(T full, T quick) const { return run.quick ? quick : full; }
  // Throws Skip where `seconds` or `bytes`, estimated, are too many; what: "settling 1000 grains".
  void need_time(double seconds, const std::string& what) const;
  void need_memory(double bytes, const std::string& what) const;

  double copy_bytes_per_s();  // read and written, measured when it is first asked for
  // Grains of a settling_box() after one second by dem, made when they are first asked for. Throws Skip.
  const std::vector<talus::GrainState>& settled(unsigned grains);

private:
  double copy_bytes_per_s_ = 0.0;
  std::map<unsigned, std::vector<talus::GrainState>> settled_;
};

// Does the same work each time, that many iterations of it.
using Trial = std::function<std::vector<Sample>(std::uint64_t iterations)>;

struct Case {
  std::string name;              // unique in its suite
  std::string family;            // where one is skipped, so are those of the family that follow: they are larger
  std::uint64_t iterations = 0;  // of a repetition; 0: as many as fill it
  std::function<Trial()> prepare;
};

struct Suite {
  std::string name, what;
  std::function<std::vector<Case>(Target&)> cases;
};
const std::vector<Suite>& all_suites();
std::vector<Case> step_cases(Target&);
std::vector<Case> passes_cases(Target&);
std::vector<Case> scaling_cases(Target&);
std::vector<Case> upsampling_cases(Target&);
std::vector<Case> render_cases(Target&);

// How often a case runs, from what one iteration takes [s]. repetitions 0: it takes too long.
struct Plan {
  std::uint64_t iterations;
  int repetitions;
};
Plan plan(const RunOptions& options, std::uint64_t iterations, double iteration_s);

// Runs a case of a suite: a warm-up, then repetitions while there is time. Never throws for what the case cannot do.
std::vector<Measured> run_case(const RunOptions& options, const std::string& suite, const Case& bench_case);

void run_suites(const RunOptions& options);

class Stopwatch {
public:
  Sample stop(std::uint64_t iterations) const {
    Sample sample;
    sample.iterations = iterations;
    sample.real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    sample.cpu_s = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
    return sample;
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

// A simulation that starts from the same state again and again.
class Replay {
public:
  explicit Replay(talus::Simulation simulation);  // from where it is
  ~Replay();
  Replay(const Replay&) = delete;
  // Steps on from the state; the time of that alone.
  Sample advance(std::uint64_t steps);
  // Of the lists, since the state.
  std::uint64_t rebuilds() const { return simulation.rebuilds() - rebuilds_before_; }
  std::uint64_t incremental_rebuilds() const {
    return simulation.incremental_rebuilds() - incremental_rebuilds_before_;
  }
  talus::Simulation simulation;

private:
  std::uint64_t rebuilds_before_, incremental_rebuilds_before_;
  std::filesystem::path state_;
};

// Target::settled() under a method, where it has found its rest under that. Throws Skip.
struct RestOptions {
  int iterations = 0;  // of the solver; 0: its own
  bool timing = false;
};
talus::Simulation at_rest(Target& target, talus::Method method, unsigned grains, const RestOptions& options = {});

// Boxes that fall from the start on, and at rest; trial_of: measures such a simulation. timing: of passes.
std::vector<Case> box_cases(Target& target, const std::vector<talus::Method>& methods,
                            const std::vector<unsigned>& sizes, bool timing,
                            const std::function<Trial(talus::Simulation)>& trial_of);

// What a speed means nothing without: overlap [radii], packing, and what was simulated.
void add_quality(Sample& sample, talus::Simulation& simulation);

// Bytes that a simulation of this scene takes for a grain more.
double bytes_per_grain(const talus::Scene& scene);

}  // namespace bench
