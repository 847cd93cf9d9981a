#include "engine/scene/convergence.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

struct Measured {
  double overlap;
  Convergence at;
};

// TABLE
constexpr std::array measured{Measured{0.002, {0.0, 0.0}}, Measured{0.004, {0.03, 0.01}}, Measured{0.008, {0.1, 0.04}},
                              Measured{0.015, {0.2, 0.08}}, Measured{0.03, {0.35, 0.15}}};

}  // namespace

Convergence convergence_at(double overlap) {
  const double x = std::clamp(overlap, measured.front().overlap, measured.back().overlap);
  const auto* const above = std::ranges::lower_bound(measured, x, {}, &Measured::overlap);
  if (above == measured.begin())
    return above->at;
  const Measured &a = above[-1], &b = above[0];
  const double t = (x - a.overlap) / (b.overlap - a.overlap);
  return {std::lerp(a.at.force, b.at.force, t), std::lerp(a.at.run_out, b.at.run_out, t)};
}

}  // namespace talus
