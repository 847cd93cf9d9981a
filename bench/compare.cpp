#include "bench/compare.h"
#include "bench/compiled.h"
#include "bench/json.h"
#include "bench/measure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace bench {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double median_of_some(std::span<const double> values, std::mt19937& random) {
  std::vector<double> some;
  for (std::size_t k = 0; k < values.size(); ++k)
    some.push_back(values[random() % values.size()]);
  return median(std::move(some));
}

std::string overlap_text(const Change& change) {
  return std::isfinite(change.overlap_before) && std::isfinite(change.overlap_after)
             ? fmt::format("{:.4f} -> {:.4f}", change.overlap_before, change.overlap_after)
             : "";
}

void print(const Change& change, double threshold) {
  const std::string interval =
      std::isfinite(change.low) ? fmt::format("{:.3f} .. {:.3f}", change.low, change.high) : "too few";
  fmt::print("{:<44} {:>10.4g} {:>10.4g} {:>7.3f}  {:<16} {:<8} {}\n", change.name, change.before, change.after,
             change.ratio, interval,
             change.slower(threshold)   ? "SLOWER"
             : change.faster(threshold) ? "faster"
                                        : "",
             overlap_text(change));
}

// Names that only one of the two has.
void print_alone(const Results& here, const Results& there, const std::string& file) {
  for (const Measured& m : here.measured)
    if (!m.samples.empty() && std::ranges::none_of(there.measured, [&](const Measured& other) {
          return other.name == m.name && !other.samples.empty();
        }))
      fmt::print("{:<44} only in {}\n", m.name, file);
}

std::string device_of(const Results& results) {
  const Json device = results.context.value("device", Json::object());
  return device.is_object() ? device.value("name", "an unknown device") : "an unknown device";
}

}  // namespace

Interval ratio_interval(std::span<const double> before, std::span<const double> after) {
  if (std::min(before.size(), after.size()) < 3)
    return {nan, nan};
  constexpr std::size_t draws = 4000;
  std::mt19937 random(1);
  std::vector<double> ratios;
  for (std::size_t k = 0; k < draws; ++k) {
    const double was = median_of_some(before, random);
    ratios.push_back(median_of_some(after, random) / was);
  }
  std::ranges::sort(ratios);
  return {ratios[draws / 40], ratios[draws - 1 - draws / 40]};
}

std::vector<Change> changes_of(const Results& before, const Results& after) {
  std::vector<Change> changes;
  for (const Measured& b : after.measured) {
    const auto a = std::ranges::find(before.measured, b.name, &Measured::name);
    if (a == before.measured.end() || a->samples.empty() || b.samples.empty())
      continue;
    const std::vector<double> was = a->times(), is = b.times();
    const double old_median = median(was), new_median = median(is);
    if (!(old_median > 0.0))
      continue;  // a pass that did not run
    const Interval interval = ratio_interval(was, is);
    changes.push_back({b.name, old_median, new_median, new_median / old_median, interval.low, interval.high,
                       a->counter("overlap_mean"), b.counter("overlap_mean")});
  }
  return changes;
}

bool compare(const std::filesystem::path& before, const std::filesystem::path& after, double threshold) {
  const Json was = read_json(before), is = read_json(after);
  if (is_compiled(was) || is_compiled(is))
    return compare(compiled_of(was, before.string()), compiled_of(is, after.string()), threshold);
  const Results a = results_of(was, before.string()), b = results_of(is, after.string());
  const std::vector<Change> changes = changes_of(a, b);
  if (changes.empty())
    throw UsageError(fmt::format("{} and {} have no measurement in common: compare results of the same suite",
                                 before.string(), after.string()));
  if (device_of(a) != device_of(b))
    fmt::print("other devices: {} and {}\n", device_of(a), device_of(b));
  fmt::print("{:<44} {:>10} {:>10} {:>7}  {:<16} {:<8} {}\n", "name", "ms before", "ms after", "ratio", "95 %", "",
             "mean overlap [radii]");
  for (const Change& change : changes)
    print(change, threshold);
  print_alone(a, b, before.string());
  print_alone(b, a, after.string());
  const auto slower = std::ranges::count_if(changes, [&](const Change& c) { return c.slower(threshold); });
  fmt::print("{} of {} slower by more than {:g} %\n", slower, changes.size(), 100.0 * threshold);
  return slower > 0;
}

}  // namespace bench
