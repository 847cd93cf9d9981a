#pragma once
// What a running scene is asked now and then, for plots and tables.
#include "engine/talus.h"
#include <array>
#include <deque>

namespace viewer {

class Statistics {
public:
  void start(talus::Simulation& simulation);  // another scene, or the same from its start
  // Between two steps. Asks no more often than costs a twentieth of the time; of `body`, where there is one, the load.
  // rate: simulated s per s, now.
  void sample(talus::Simulation& simulation, double rate, std::uint32_t body);

  struct Pass {
    std::string name;
    double ms = 0.0;  // per step
  };
  const std::vector<Pass>& passes() const { return passes_; }  // the dearest first
  const talus::Measure& measure() const { return measure_; }
  std::uint32_t fine() const { return fine_; }
  std::uint64_t memory_bytes() const { return memory_; }

  enum Series { energy, overlap, real_time, force, series_count };
  static constexpr std::size_t most = 240;
  const std::deque<float>& series(Series which) const { return series_[which]; }

private:
  talus::Measure measure_;
  std::vector<Pass> passes_;
  std::vector<talus::PassTime> before_;
  std::uint64_t before_step_ = 0, memory_ = 0;
  std::uint32_t fine_ = 0;
  std::array<std::deque<float>, series_count> series_;
  double next_ = 0.0;  // s of the clock, when to ask again

  void sample_passes(const talus::Simulation& simulation);
  void add(Series which, double value);
};

}  // namespace viewer
