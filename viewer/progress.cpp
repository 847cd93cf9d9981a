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

// With the escapes that draw the bar. What stdout does not take does not end the run: finish_output() tells.
void draw(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

constexpr auto bar_interval = std::chrono::milliseconds(200);
constexpr auto line_interval = std::chrono::seconds(5);

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 59.5)
    return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 59.5 * 60.0)
    return fmt::format("{:.0f} min", seconds / 60.0);
  if (seconds < 47.5 * 3600.0)
    return fmt::format("{:.0f} h", seconds / 3600.0);
  return fmt::format("{:.0f} days", seconds / 86400.0);
}

Progress::Progress(double start, double end)
    : start_(start), end_(end), terminal_(is_terminal()), interval_(line_interval), next_(Clock::now() + interval_) {
  if (terminal_) {
    interval_ = bar_interval;
    next_ = Clock::now();
  }
}

Progress::~Progress() {
  if (drawn_)
    draw("\r\x1b[K");
  std::fflush(stdout);
}

std::string Progress::left(double time) const {
  if (!(time > start_) || !(end_ > time))
    return "";
  const double spent = std::chrono::duration<double>(Clock::now() - began_).count();
  return ", about " + duration_text(spent * (end_ - time) / (time - start_)) + " left";
}

void Progress::update(double time, double wall, std::uint64_t grains) {
  if (Clock::now() < next_)
    return;
  next_ = Clock::now() + interval_;
  const double factor = wall > 0.0 ? (time - start_) / wall : 0.0;
  const std::string text =
      fmt::format("{:.3f} of {:.3f} s, {:.3g} x real time, {} grains{}", time, end_, factor, grains, left(time));
  if (terminal_) {
    constexpr int width = 24;
    const double part = end_ > start_ ? std::clamp((time - start_) / (end_ - start_), 0.0, 1.0) : 1.0;
    const int full = static_cast<int>(part * width);
    draw(fmt::format("\r[{:#>{}}{:.>{}}] {}\x1b[K", "", full, "", width - full, text));
    drawn_ = true;
  } else {
    draw(text + '\n');
  }
  std::fflush(stdout);
}

}  // namespace viewer
