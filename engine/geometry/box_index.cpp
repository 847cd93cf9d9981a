#include "engine/geometry/box_index.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double cells_per_box = 2.0;
constexpr int box_cells_most = 64;  // of a box: a larger one is looked at every time

bool is_finite(const Bounds& box) {
  return std::isfinite(glm::dot(box.min, glm::dvec3(1.0))) && std::isfinite(glm::dot(box.max, glm::dvec3(1.0)));
}

}  // namespace

BoxIndex::BoxIndex(std::span<const Bounds> boxes, const glm::dvec3& period) : period_(period) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Bounds all{glm::dvec3(infinity), glm::dvec3(-infinity)};
  glm::dvec3 sum(0.0);
  double finite = 0.0;
  for (const Bounds& box : boxes)
    if (is_finite(box)) {
      all = {glm::min(all.min, box.min), glm::max(all.max, box.max)};
      sum += box.max - box.min;
      finite += 1.0;
    }
  if (finite > 0.0) {
    low_ = all.min;
    const glm::dvec3 mean = sum / finite;
    glm::dvec3 extent = all.max - all.min;
    for (int a = 0; a < 3; ++a)
      extent[a] = period_[a] > 0.0 ? period_[a] : std::max(extent[a], 1e-9);
    // Cells as wide as the mean box at least, and no more than some per box.
    const double most = std::cbrt(extent.x * extent.y * extent.z / (cells_per_box * finite));
    for (int a = 0; a < 3; ++a)
      cells_[a] = static_cast<int>(std::clamp(std::floor(extent[a] / std::max(mean[a], most)), 1.0, 1024.0));
    edge_ = extent / glm::dvec3(cells_);
  }
  std::vector<Range> ranges;
  std::vector<std::uint32_t> small;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const Range range = is_finite(boxes[i]) ? range_of(boxes[i]) : Range{};
    if (!is_finite(boxes[i]) || std::int64_t{range.count.x} * range.count.y * range.count.z > box_cells_most) {
      large_.push_back(i);
      continue;
    }
    small.push_back(i);
    ranges.push_back(range);
  }
  const auto each_cell = [&](auto&& visit) {
    for (std::size_t k = 0; k < small.size(); ++k)
      for (int z = 0; z < ranges[k].count.z; ++z)
        for (int y = 0; y < ranges[k].count.y; ++y)
          for (int x = 0; x < ranges[k].count.x; ++x)
            visit(small[k], cell(ranges[k], {x, y, z}));
  };
  const std::size_t cells =
      static_cast<std::size_t>(cells_.x) * static_cast<std::size_t>(cells_.y) * static_cast<std::size_t>(cells_.z);
  first_.assign(cells + 1, 0);
  each_cell([&](std::uint32_t, std::size_t at) { ++first_[at + 1]; });
  for (std::size_t c = 0; c < cells; ++c)
    first_[c + 1] += first_[c];
  boxes_.resize(first_[cells]);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  each_cell([&](std::uint32_t i, std::size_t at) {
    TALUS_ASSERT(next[at] < first_[at + 1], i, at, next[at]);
    boxes_[next[at]++] = i;
  });
}

BoxIndex::Range BoxIndex::range_of(const Bounds& box) const {
  Range range{};
  for (int a = 0; a < 3; ++a) {
    const double cells = cells_[a];
    // An image lies elsewhere by rounding.
    const double slack = period_[a] > 0.0 ? 1e-6 : 0.0;
    const double low = std::floor((box.min[a] - low_[a]) / edge_[a] - slack),
                 high = std::floor((box.max[a] - low_[a]) / edge_[a] + slack);
    if (period_[a] > 0.0) {
      const bool around = !(high - low < cells - 1.0);
      range.low[a] = around ? 0 : static_cast<int>(low - cells * std::floor(low / cells));
      range.count[a] = around ? cells_[a] : static_cast<int>(high - low) + 1;
    } else {
      range.low[a] = static_cast<int>(std::clamp(low, 0.0, cells - 1.0));
      range.count[a] = static_cast<int>(std::clamp(high, 0.0, cells - 1.0)) - range.low[a] + 1;
    }
    TALUS_ASSERT(range.low[a] >= 0 && range.low[a] < cells_[a], a, range.low[a], cells_[a]);
    TALUS_ASSERT(range.count[a] <= cells_[a], a, range.count[a], cells_[a]);
  }
  return range;
}

}  // namespace talus
