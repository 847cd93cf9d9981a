#pragma once
// Which of many boxes may meet another one, by a grid: what would be a loop over all of them.
#include "engine/base/assert.h"
#include "engine/geometry/bounds.h"
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class BoxIndex {
public:
  // boxes: infinite ones too. period: m, of axes along which boxes have images; else 0.
  BoxIndex(std::span<const Bounds> boxes, const glm::dvec3& period);

  // Calls visit(i), until it returns true, for all boxes that have a point in common with this one, for some others,
  // and for some of both more than once. The order is the same on every machine. Returns whether visit did.
  template <class Visit> bool any(const Bounds& box, Visit visit) const {
    for (const std::uint32_t i : large_)
      if (visit(i))
        return true;
    const Range range = range_of(box);
    for (int z = 0; z < range.count.z; ++z)
      for (int y = 0; y < range.count.y; ++y)
        for (int x = 0; x < range.count.x; ++x)
          for (std::uint32_t k = first_[cell(range, {x, y, z})]; k < first_[cell(range, {x, y, z}) + 1]; ++k)
            if (visit(boxes_[k]))
              return true;
    return false;
  }

private:
  struct Range {
    glm::ivec3 low, count;  // of cells; on an axis with a period they go on at its other end
  };

  Range range_of(const Bounds& box) const;
  std::size_t cell(const Range& range, const glm::ivec3& step) const {
    const glm::ivec3 at = (range.low + step) % cells_;
    TALUS_ASSERT(at.x >= 0 && at.y >= 0 && at.z >= 0, at.x, at.y, at.z);
    return (static_cast<std::size_t>(at.z) * static_cast<std::size_t>(cells_.y) + static_cast<std::size_t>(at.y)) *
               static_cast<std::size_t>(cells_.x) +
           static_cast<std::size_t>(at.x);
  }

  glm::dvec3 period_, low_{0.0}, edge_{1.0};  // m
  glm::ivec3 cells_{1};
  std::vector<std::uint32_t> large_;        // boxes that would lie in many cells
  std::vector<std::uint32_t> first_{0, 0};  // of a cell, in boxes_; one more
  std::vector<std::uint32_t> boxes_;        // by cell
};

}  // namespace talus
