#pragma once
#include <chrono>
#include <cstdint>

namespace viewer {

// How far a run is: a bar that is redrawn on a terminal, plain lines otherwise.
class Progress {
public:
  Progress(double start, double end);  // s, simulated
  ~Progress();
  void update(double time, double wall, std::uint64_t grains);  // s simulated, s spent on it in this run

private:
  using Clock = std::chrono::steady_clock;
  double start_, end_;
  bool terminal_, drawn_ = false;
  Clock::duration interval_;
  Clock::time_point next_;
};

}  // namespace viewer
