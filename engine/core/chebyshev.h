#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace talus {

// Relaxation and momentum of cloth's iterations, one after the other: Chebyshev's (Golub and Varga 1961), for
// eigenvalues up to 1, which cloth_weigh sees to. They leave `ripple` of all errors but the slowest ones, where
// momentum that grows over the iterations (step.cpp) leaves errors of the other sign: beyond 1/3 of what was there
// these grow from substep to substep, as they do with it at n < 6. Begun anew every few iterations: far on, it bears no
// link that has turned meanwhile.
class Chebyshev {
public:
  explicit Chebyshev(std::uint32_t iterations) : left_(iterations) {}
  struct Next {
    float omega, beta;  // relaxation, momentum
  };
  Next next() {
    if (k_ == n_)
      begin();
    const double before = omega_, carried = k_ == 0 ? 0.0 : (k_ == 1 ? 0.5 : 0.25) * half_ * half_ * before * before;
    omega_ = 1.0 / (middle_ - (k_ == 0 ? 0.0 : carried / before));
    const Next now{static_cast<float>(omega_), static_cast<float>(k_ == 0 ? 0.0 : omega_ * carried / before)};
    ++k_;
    return now;
  }

private:
  static constexpr double ripple = 0.2, greatest = 1.1;  // a reserve for links that turn within the substep
  static constexpr std::uint32_t most = 5;
  double middle_ = 1.0, half_ = 0.0, omega_ = 0.0;
  std::uint32_t left_, n_ = 0, k_ = 0;

  void begin() {
    n_ = std::min(left_, most);
    left_ -= n_;
    k_ = 0;
    const double y = std::cosh(std::acosh(1.0 / ripple) / n_), low = (y - 1.0) / (y + 1.0);
    middle_ = greatest * (1.0 + low) / 2.0;
    half_ = greatest * (1.0 - low) / 2.0;
  }
};

}  // namespace talus
