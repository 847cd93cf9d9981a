#include "viewer/live/statistics.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

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

void Statistics::forget_later(double time) {
  for (std::deque<Point>& series : series_)
    std::erase_if(series, [&](const Point& point) { return point.time > time; });
}

void Statistics::go_to(const talus::Simulation& simulation) {
  before_ = simulation.pass_times();
  before_step_ = simulation.step();
}

void Statistics::add(Series which, const Point& point) {
  std::deque<Point>& series = series_[which];
  series.push_back(point);
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

void Statistics::frame(double seconds) {
  ++frames_now_;
  seconds_now_ += seconds;
}

void Statistics::sample_frames(const talus::Simulation& simulation, const talus::Renderer& renderer) {
  constexpr double every = 0.25;  // s
  if (counting_ && seconds_now_ < every)
    return;
  std::vector<talus::PassTime> drawn = renderer.pass_times();
  double simulated = 0.0, drawing = 0.0;
  for (const talus::PassTime& time : simulation.pass_times())
    simulated += time.ms;
  const auto frames = static_cast<double>(std::max<std::uint64_t>(frames_now_, 1));
  draw_passes_.clear();
  for (std::size_t p = 0; p < drawn.size(); ++p)
    if (const double ms = drawn[p].ms - (p < drawn_before_.size() ? drawn_before_[p].ms : 0.0); ms > 0.0) {
      draw_passes_.push_back({drawn[p].name, ms / frames});
      drawing += ms;
    }
  std::ranges::sort(draw_passes_, std::greater(), &Pass::ms);
  if (counting_) {
    const Split split{simulated - simulated_before_, drawing,
                      std::max(1e3 * seconds_now_ - (simulated - simulated_before_) - drawing, 0.0)};
    splits_.push_back({split.simulation / frames, split.drawing / frames, split.idle / frames, seconds_now_});
    if (splits_.size() > most)
      splits_.pop_front();
    sum_ = {sum_.simulation + split.simulation, sum_.drawing + split.drawing, sum_.idle + split.idle};
    frames_ += frames_now_;
  }
  drawn_before_ = std::move(drawn);
  simulated_before_ = simulated;
  frames_now_ = 0;
  seconds_now_ = 0.0;
  counting_ = true;
}

Statistics::Split Statistics::mean_split() const {
  const auto frames = static_cast<double>(std::max<std::uint64_t>(frames_, 1));
  return {sum_.simulation / frames, sum_.drawing / frames, sum_.idle / frames};
}

void Statistics::sample(talus::Simulation& simulation, double rate, std::uint32_t body) {
  const double start = now();
  if (start < next_ || (simulation.step() == before_step_ && !series_[energy].empty()))
    return;
  sample_passes(simulation);
  measure_ = simulation.measure();
  fine_ = simulation.fine_count();
  removed_ = simulation.removed_grains();
  memory_ = simulation.memory_bytes();
  const double time = simulation.time();
  add(energy, {time, measure_.kinetic_energy});
  add(overlap, {time, 100.0 * measure_.penetration_mean});
  add(real_time, {time, rate});
  const std::vector<talus::BodyLoad> loads = simulation.body_loads();
  if (body < loads.size())
    add(force, {time, glm::length(loads[body].force_filtered)});
  const double took = now() - start;
  next_ = start + std::max(0.1, 20.0 * took);
}

std::string Statistics::csv(const std::string& body) const {
  const auto quoted = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '"');
    return '"' + text + '"';
  };
  std::string text = "time [s],kinetic energy [J],mean overlap [% of the radius],speed [of real time]";
  if (!body.empty())
    text += "," + quoted(fmt::format("force on {} [N]", body));
  text += "\n";
  for (std::size_t k = 0; k < series_[energy].size(); ++k) {
    const double time = series_[energy][k].time;
    text += fmt::format("{},{},{},{}", time, series_[energy][k].value, series_[overlap][k].value,
                        series_[real_time][k].value);
    if (!body.empty()) {  // which may have been chosen after the first of these times
      const auto found = std::ranges::find(series_[force], time, &Point::time);
      text += found == series_[force].end() ? "," : fmt::format(",{}", found->value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace viewer
