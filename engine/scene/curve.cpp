#include "engine/scene/curve.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <cmath>
#include <functional>

namespace talus {
namespace {

// Of the cubics on both sides of a point, between straight lines of length h and slope s: none where the number turns
// around, else the weighted harmonic mean, with which nothing overshoots (Fritsch and Butland 1984).
double slope_between(double h0, double s0, double h1, double s1) {
  if (s0 * s1 <= 0.0)
    return 0.0;
  const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / s0 + w1 / s1);
}

}  // namespace

Curve::Curve(std::vector<double> times, std::vector<double> values, Interpolation interpolation, bool repeat)
    : times_(std::move(times)), values_(std::move(values)), repeat_(repeat) {
  TALUS_ASSERT(!times_.empty() && times_.size() == values_.size(), times_.size(), values_.size());
  TALUS_ASSERT(std::ranges::adjacent_find(times_, std::greater_equal<>()) == times_.end(), times_.size());
  TALUS_ASSERT(!repeat_ || times_.size() >= 2, times_.size());
  if (interpolation == Interpolation::linear)
    return;
  const std::size_t last = times_.size() - 1;
  slopes_.assign(times_.size(), 0.0);  // stays so at the ends: the number rests before and after
  const auto h = [&](std::size_t i) { return times_[i + 1] - times_[i]; };
  const auto s = [&](std::size_t i) { return (values_[i + 1] - values_[i]) / h(i); };
  for (std::size_t i = 1; i < last; ++i)
    slopes_[i] = slope_between(h(i - 1), s(i - 1), h(i), s(i));
  if (repeat_)
    slopes_.front() = slopes_.back() = slope_between(h(last - 1), s(last - 1), h(0), s(0));
}

double Curve::at(double time) const {
  double shift = 0.0;
  if (repeat_) {
    const double period = times_.back() - times_.front(), rounds = std::floor((time - times_.front()) / period);
    time -= rounds * period;
    shift = rounds * (values_.back() - values_.front());
  }
  if (time <= times_.front())
    return values_.front() + shift;
  if (time >= times_.back())
    return values_.back() + shift;
  const auto i = static_cast<std::size_t>(std::ranges::upper_bound(times_, time) - times_.begin()) - 1;
  TALUS_ASSERT(i + 1 < times_.size() && times_[i] <= time && time <= times_[i + 1], i, time);
  const double h = times_[i + 1] - times_[i], x = (time - times_[i]) / h, change = values_[i + 1] - values_[i];
  if (slopes_.empty())
    return values_[i] + shift + x * change;
  const double ahead = x * x * (3 - 2 * x), start = x * (1 - x) * (1 - x), end = -x * x * (1 - x);
  return values_[i] + shift + ahead * change + h * (start * slopes_[i] + end * slopes_[i + 1]);
}

}  // namespace talus
