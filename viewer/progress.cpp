#include "viewer/progress.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace viewer {
namespace {

bool is_terminal() {
#ifdef _WIN32
  return _isatty(_fileno(stdout)) != 0;
#else
  return isatty(fileno(stdout)) != 0;
#endif
}

constexpr auto bar_interval = std::chrono::milliseconds(200);
constexpr auto line_interval = std::chrono::seconds(5);

}  // namespace

Progress::Progress(double start, double end)
    : start_(start), end_(end), terminal_(is_terminal()), interval_(line_interval), next_(Clock::now() + interval_) {
  if (terminal_) {
    interval_ = bar_interval;
    next_ = Clock::now();
  }
}

Progress::~Progress() {
  if (drawn_)
    fmt::print("\r\x1b[K");
  std::fflush(stdout);
}

void Progress::update(double time, double wall, std::uint64_t grains) {
  if (Clock::now() < next_)
    return;
  next_ = Clock::now() + interval_;
  const double factor = wall > 0.0 ? (time - start_) / wall : 0.0;
  const std::string text = fmt::format("{:.3f} of {:.3f} s, {:.3g} x real time, {} grains", time, end_, factor, grains);
  if (terminal_) {
    constexpr int width = 24;
    const double part = end_ > start_ ? std::clamp((time - start_) / (end_ - start_), 0.0, 1.0) : 1.0;
    const int full = static_cast<int>(part * width);
    fmt::print("\r[{:#>{}}{:.>{}}] {}\x1b[K", "", full, "", width - full, text);
    drawn_ = true;
  } else {
    fmt::print("{}\n", text);
  }
  std::fflush(stdout);
}

}  // namespace viewer
