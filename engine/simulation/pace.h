#pragma once
// How much a device is handed at a time: lengths that follow what the last ones took. They change no bit.
#include "engine/core/executor.h"

namespace talus {

// How many substeps a device is handed at a time in a live view: as many as take about Options::slice.
class SliceLength {
public:
  static constexpr std::uint64_t all = ~0u;  // the whole rest of a batch

  std::uint64_t substeps() const { return substeps_; }
  void count(std::uint64_t substeps) { handed_over_ += substeps; }
  // By the device's own clock. A device without a clock is handed everything at once.
  void measure(const Executor& executor, double seconds);

private:
  std::uint64_t substeps_ = 1;
  std::uint64_t handed_over_ = 0;  // substeps that were handed over since the device's time was measured last
  double device_ms_ = 0.0;         // what the device's clock showed then
};

// How far substeps get from one renewal of the lists to the next, and what strides suit that (core/step.h).
class StrideLength {
public:
  // Substeps of a stride that wait for the next one, where so many are left, > 0; 0: strides do not pay.
  std::uint32_t waiting(std::uint64_t substeps) const;
  // Strides that so many substeps take, about.
  std::uint32_t strides_for(std::uint64_t substeps, std::uint32_t waiting) const;
  void measure(const Status& before, const Status& after);

private:
  static constexpr std::uint64_t waiting_most = 15;
  static constexpr double margin = 1.2;
  static constexpr double remembered = 256.0;  // substeps; of what was before, half of the weight goes

  double substeps_ = 0.0, renewals_ = 0.0;  // of the lists
  double per_renewal() const;               // substeps
};

}  // namespace talus
