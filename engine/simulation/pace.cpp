#include "engine/simulation/pace.h"
#include <algorithm>
#include <cmath>

namespace talus {

void SliceLength::measure(const Executor& executor, double seconds) {
  double ms = 0.0;
  for (const PassTime& pass : executor.pass_times())
    ms += pass.ms;
  const double each = (ms - device_ms_) / static_cast<double>(std::max<std::uint64_t>(handed_over_, 1));
  const double fit = each > 0.0 ? 1e3 * seconds / each : static_cast<double>(all);
  substeps_ = static_cast<std::uint64_t>(std::clamp(fit, 1.0, static_cast<double>(all)));
  device_ms_ = ms;
  handed_over_ = 0;
}

// A stride that is as long as lists hold renews them at its start and passes over few substeps. It is a little longer
// than they have held for on average: on an NVIDIA H200 with 10,000 grains a substep too many, which is passed over,
// takes the 9 us of plan and end_substep, and a stride that finds its lists to hold has 33 passes with nothing to do,
// which take some 30 us.
std::uint32_t StrideLength::waiting(std::uint64_t substeps) const {
  const auto most = static_cast<long>(std::min<std::uint64_t>(waiting_most, substeps - 1));
  return static_cast<std::uint32_t>(std::clamp(std::lround(margin * per_renewal()) - 1l, 0l, most));
}

std::uint32_t StrideLength::strides_for(std::uint64_t substeps, std::uint32_t waiting) const {
  const double strides = std::ceil(per_renewal() / (1.0 + waiting)) / per_renewal();  // per substep
  return static_cast<std::uint32_t>(std::max(std::lround(static_cast<double>(substeps) * strides), 1l));
}

void StrideLength::measure(const Status& before, const Status& after) {
  substeps_ += after.substeps_done - before.substeps_done;
  renewals_ += after.lists.rebuilds - before.lists.rebuilds;
  renewals_ += after.lists.incremental_rebuilds - before.lists.incremental_rebuilds;
  while (substeps_ > remembered) {
    substeps_ *= 0.5;
    renewals_ *= 0.5;
  }
}

double StrideLength::per_renewal() const {
  return std::max(substeps_ / std::max(renewals_, 1.0), 1.0);
}

}  // namespace talus
