#include "engine/soil/grid.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {

SoilGrid::SoilGrid(const Scene& scene) : min_(scene.soil->min) {
  const Soil& soil = *scene.soil;
  constexpr std::size_t most = std::size_t{1} << 24;
  count_ = soil.columns();
  for (int a = 0; a < 2; ++a) {
    edge_[a] = (soil.max[a] - soil.min[a]) / count_[a];
    periodic_[static_cast<std::size_t>(a)] = scene.domain.axis[static_cast<std::size_t>(a)] == Axis::periodic;
  }
  if (size() > most)
    throw SceneError(fmt::format("{}: the site has {} x {} columns: the limit is {}; give a larger soil.cell",
                                 soil.where, count_.x, count_.y, most));
}

std::optional<std::uint32_t> SoilGrid::column_at(const glm::dvec2& place) const {
  glm::uvec2 at;
  for (int a = 0; a < 2; ++a) {
    double k = std::floor((place[a] - min_[a]) / edge_[a]);
    if (periodic(a))
      k -= count_[a] * std::floor(k / count_[a]);
    if (!(k >= 0.0 && k < count_[a]))
      return {};
    at[a] = static_cast<std::uint32_t>(k);
  }
  return column(at);
}

std::optional<std::uint32_t> SoilGrid::beside(std::uint32_t column_from, const glm::ivec2& way) const {
  const glm::ivec2 to = glm::ivec2(at(column_from)) + way;
  for (int a = 0; a < 2; ++a)
    if (!periodic(a) && (to[a] < 0 || to[a] >= static_cast<int>(count_[a])))
      return {};
  return column({wrap(to.x, 0), wrap(to.y, 1)});
}

}  // namespace talus
