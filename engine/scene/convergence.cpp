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

// Means of three seeds, grains of 6 mm and friction 0.3, without rotation; the overlap is solver.overlap. force: of a
// blade 40 mm deep in a bed of 11 layers, 1 m long, at 0.19 m/s: 19.9, 23.1, 27.0, 30.3, 32.5 and 34.8 N at 0.03 to
// 0.001, which is not its limit yet: it goes on rising by 7 % where the overlap is halved. run_out: what 90 % of the
// grains of a column 0.2 m wide and twice as high reach: 413, 395, 384, 376, 369 and 368 mm.
constexpr std::array measured{Measured{0.001, {0.0, 0.0}},    Measured{0.002, {0.07, 0.001}},
                              Measured{0.004, {0.13, 0.022}}, Measured{0.008, {0.22, 0.042}},
                              Measured{0.015, {0.34, 0.072}}, Measured{0.03, {0.43, 0.121}}};

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
