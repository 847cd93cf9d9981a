#pragma once
// The columns of the ground.
#include "engine/scene/scene.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace talus {

class SoilGrid {
public:
  explicit SoilGrid(const Scene& scene);  // that has soil

  glm::uvec2 count() const { return count_; }       // columns along x and y
  const glm::dvec2& edge() const { return edge_; }  // m, of a column
  const glm::dvec2& min() const { return min_; }    // m, lower corner of the site
  std::size_t size() const { return std::size_t{count_.x} * count_.y; }
  bool periodic(int axis) const { return periodic_[static_cast<std::size_t>(axis)]; }

  std::uint32_t column(const glm::uvec2& at) const { return at.y * count_.x + at.x; }
  glm::uvec2 at(std::uint32_t column) const { return {column % count_.x, column / count_.x}; }
  glm::dvec2 corner(std::uint32_t column) const { return min_ + edge_ * glm::dvec2(at(column)); }  // m, the lower one
  std::optional<std::uint32_t> column_at(const glm::dvec2& place) const;  // none: it lies outside of the site

  glm::dvec2 nearest(glm::dvec2 place, const glm::dvec2& to) const {  // its image across periodic ends
    for (int a = 0; a < 2; ++a)
      if (const double length = count_[a] * edge_[a]; periodic(a))
        place[a] -= length * std::round((place[a] - to[a]) / length);
    return place;
  }
  // The column so many columns away; none: it is outside.
  std::optional<std::uint32_t> beside(std::uint32_t column, const glm::ivec2& way) const;
  // Calls visit(column, way) for the column itself, way (0, 0), and the up to eight around it, in the order of y, then
  // x.
  void around(std::uint32_t column, auto&& visit) const {
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (const auto other = beside(column, {x, y}))
          visit(*other, glm::ivec2(x, y));
  }
  // Calls visit(column) for those that a rectangle reaches into [m], across periodic ends.
  void within(const glm::dvec2& low, const glm::dvec2& high, auto&& visit) const {
    glm::ivec2 first, last;
    for (int a = 0; a < 2; ++a) {
      const double n = count_[a];
      double from = std::floor((low[a] - min_[a]) / edge_[a]), to = std::floor((high[a] - min_[a]) / edge_[a]);
      if (!periodic(a)) {
        from = std::max(from, 0.0);
        to = std::min(to, n - 1.0);
      } else if (to - from >= n) {
        from = 0.0;
        to = n - 1.0;
      }
      if (!(from <= to))
        return;
      first[a] = static_cast<int>(from);
      last[a] = static_cast<int>(to);
    }
    for (int y = first.y; y <= last.y; ++y)
      for (int x = first.x; x <= last.x; ++x)
        visit(column({wrap(x, 0), wrap(y, 1)}));
  }

private:
  std::uint32_t wrap(int at, int axis) const {
    const int n = static_cast<int>(count_[axis]);
    return static_cast<std::uint32_t>((at % n + n) % n);
  }

  glm::dvec2 min_, edge_;
  glm::uvec2 count_;
  std::array<bool, 2> periodic_;
};

}  // namespace talus
