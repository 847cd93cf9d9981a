#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace viewer {

// "5 s", "12 min", "3 h", "4 days"
std::string duration_text(double seconds);

// How far a run is: a bar that is redrawn on a terminal, plain lines otherwise.
class Progress {
public:
  Progress(double start, double end);  // s, simulated
  ~Progress();
  void update(double time, double wall, std::uint64_t grains);  // s simulated, s spent on it in this run

private:
  using Clock = std::chrono::steady_clock;
  std::string left(double time) const;  // wall time to the end, at the pace so far; empty: not known yet

  double start_, end_;
  bool terminal_, drawn_ = false;
  Clock::duration interval_;
  Clock::time_point began_ = Clock::now(), next_;
};

}  // namespace viewer
