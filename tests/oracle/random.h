#pragma once
// Random states for the laws, and the greatest error over all of them.
#include "oracle.h"
#include "shaders/shared/types.h"
#include <random>

namespace talus_tests {

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  float within(double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(engine_));
  }
  float spread(double low, double high) {  // every order of magnitude alike
    return static_cast<float>(std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine_)));
  }
  talus::shared::vec3 inside(float size) { return {within(-size, size), within(-size, size), within(-size, size)}; }
  oracle::vec direction() {
    std::normal_distribution<double> normal;
    return glm::normalize(oracle::vec(normal(engine_), normal(engine_), normal(engine_)));
  }
  unsigned one_of(unsigned count) { return static_cast<unsigned>(engine_() % count); }

private:
  std::mt19937 engine_;
};

// The greatest of errors, as shares of what 32 roundings of 2^-24 of `size` allow.
class Worst {
public:
  void add(double value, double expected, double size) {
    const double allowed = 32.0 * 0x1p-24 * size, error = std::abs(value - expected);
    share_ =
        std::max(share_, error <= allowed ? (allowed > 0.0 ? error / allowed : 0.0) : std::max(error / allowed, 2.0));
  }
  void add(talus::shared::vec3 value, oracle::vec expected, double size) {
    for (int a = 0; a < 3; ++a)
      add(static_cast<double>(value[a]), expected[a], size);
  }
  double share() const { return share_; }

private:
  double share_ = 0.0;
};

}  // namespace talus_tests
