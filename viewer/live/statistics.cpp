#include "viewer/live/statistics.h"
#include <algorithm>
#include <chrono>

namespace viewer {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Statistics::start(talus::Simulation& simulation) {
  *this = {};
  before_ = simulation.pass_times();
  before_step_ = simulation.step();
}

void Statistics::add(Series which, double value) {
  std::deque<float>& series = series_[which];
  series.push_back(static_cast<float>(value));
  if (series.size() > most)
    series.pop_front();
}

void Statistics::sample_passes(const talus::Simulation& simulation) {
  if (simulation.step() == before_step_)
    return;
  const double steps = static_cast<double>(simulation.step() - before_step_);
  std::vector<talus::PassTime> times = simulation.pass_times();
  passes_.clear();
  for (std::size_t p = 0; p < times.size(); ++p)
    if (const double ms = times[p].ms - (p < before_.size() ? before_[p].ms : 0.0); ms > 0.0)
      passes_.push_back({times[p].name, ms / steps});
  std::ranges::sort(passes_, std::greater(), &Pass::ms);
  before_ = std::move(times);
  before_step_ = simulation.step();
}

void Statistics::sample(talus::Simulation& simulation, double rate, std::uint32_t body) {
  const double start = now();
  if (start < next_ || (simulation.step() == before_step_ && !series_[energy].empty()))
    return;
  sample_passes(simulation);
  measure_ = simulation.measure();
  fine_ = simulation.fine_count();
  memory_ = simulation.memory_bytes();
  add(energy, measure_.kinetic_energy);
  add(overlap, 100.0 * measure_.penetration_mean);
  add(real_time, rate);
  const std::vector<talus::BodyLoad> loads = simulation.body_loads();
  if (body < loads.size())
    add(force, glm::length(loads[body].force_filtered));
  const double took = now() - start;
  next_ = start + std::max(0.1, 20.0 * took);
}

}  // namespace viewer
