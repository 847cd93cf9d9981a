#pragma once
// Two results against each other: what became slower, and whether that is more than noise.
#include "bench/results.h"
#include <span>

namespace bench {

// Of a name that both have, b by a.
struct Change {
  std::string name;
  double before, after;     // ms, medians of an iteration
  double ratio, low, high;  // after / before, and the interval that holds it with 95 %; NaN below three repetitions
  double overlap_before, overlap_after;  // radii, mean; NaN where it is not known

  // Beyond the threshold (0.05: 5 %), and not by chance.
  bool slower(double threshold) const { return ratio > 1.0 + threshold && low > 1.0; }
  bool faster(double threshold) const { return ratio < 1.0 / (1.0 + threshold) && high < 1.0; }
};

// The percentile bootstrap of the ratio of medians, 95 %: it gives an interval for what is shown, where a rank test
// gives but a probability, and it asks nothing of how times are spread. Less than three repetitions say nothing: NaN.
struct Interval {
  double low, high;
};
Interval ratio_interval(std::span<const double> before, std::span<const double> after);

std::vector<Change> changes_of(const Results& before, const Results& after);

// Prints a table; whether something became slower. Throws UsageError where a file is wrong or they have no name in
// common.
bool compare(const std::filesystem::path& before, const std::filesystem::path& after, double threshold);

}  // namespace bench
