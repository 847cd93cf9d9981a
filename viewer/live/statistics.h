#pragma once
// What a running scene is asked now and then, for plots and tables.
#include "viewer/renderer.h"
#include <array>
#include <deque>
#include <string>

namespace viewer {

class Statistics {
public:
  void start(talus::Simulation& simulation);        // another scene, or the same from its start
  void go_to(const talus::Simulation& simulation);  // its state is another one of its run
  void forget_later(double time);                   // what the plots show of later times [s simulated]
  // Between two steps. Asks no more often than costs a twentieth of the time; of `body`, where there is one, the load.
  // rate: simulated s per s, now.
  void sample(talus::Simulation& simulation, double rate, std::uint32_t body);

  struct Pass {
    std::string name;
    double ms = 0.0;  // per step
  };
  const std::vector<Pass>& passes() const { return passes_; }  // the dearest first

  // Where the time of frames goes, ms each, by the clocks of devices, or of threads on the CPU path. What is neither
  // simulating nor drawing is idle; where both go on at once there may be more of them than time.
  struct Split {
    double simulation = 0.0, drawing = 0.0, idle = 0.0;
    double seconds = 0.0;  // for how long
  };
  // In every frame, and between two steps whenever there is time for that.
  void frame(double seconds);
  void sample_frames(const talus::Simulation& simulation, const talus::Renderer& renderer);
  const std::deque<Split>& splits() const { return splits_; }        // of the last quarters of a second
  const std::vector<Pass>& drawing() const { return draw_passes_; }  // as passes(), per frame
  std::uint64_t frames() const { return frames_; }                   // that mean_split() is over
  Split mean_split() const;
  const talus::Measure& measure() const { return measure_; }
  std::uint32_t fine() const { return fine_; }
  std::uint32_t removed() const { return removed_; }  // grains, by the tool Dig
  std::uint64_t memory_bytes() const { return memory_; }

  enum Series { energy, overlap, real_time, force, series_count };
  static constexpr std::size_t most = 240;
  struct Point {
    double time = 0.0;  // s simulated
    double value = 0.0;
  };
  const std::deque<Point>& series(Series which) const { return series_[which]; }
  // All series as CSV, a line per time at which they were asked for. body: whose force it is; empty: without.
  std::string csv(const std::string& body) const;

private:
  talus::Measure measure_;
  std::vector<Pass> passes_;
  std::vector<talus::PassTime> before_;
  std::uint64_t before_step_ = 0, memory_ = 0;
  std::uint32_t fine_ = 0, removed_ = 0;
  std::array<std::deque<Point>, series_count> series_;
  double next_ = 0.0;  // s of the clock, when to ask again
  std::deque<Split> splits_;
  Split sum_;  // ms
  std::vector<Pass> draw_passes_;
  std::uint64_t frames_ = 0, frames_now_ = 0;
  double seconds_now_ = 0.0;  // of these
  std::vector<talus::PassTime> drawn_before_;
  double simulated_before_ = 0.0;  // ms
  bool counting_ = false;          // there is something to count from

  void sample_passes(const talus::Simulation& simulation);
  void add(Series which, const Point& point);
};

}  // namespace viewer
