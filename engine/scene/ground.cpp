#include "engine/scene/ground.h"
#include "engine/scene/bodies.h"
#include <algorithm>

namespace talus {

glm::uvec2 Soil::columns() const {
  constexpr double edge_in_radii = 5.0;
  const double edge = cell > 0.0 ? cell : std::max(edge_in_radii * mean_radius(), 4.0 * radius_max);
  return glm::uvec2(glm::clamp(glm::floor((max - min) / edge * (1.0 + 1e-9)), 1.0, 1e6));
}

std::vector<std::uint32_t> Soil::materials() const {
  std::vector<std::uint32_t> all{material};
  for (const SoilLayer& layer : layers)
    if (std::ranges::find(all, layer.material) == all.end())
      all.push_back(layer.material);
  return all;
}

double Soil::repose_of(std::uint32_t of) const {
  const auto layer = std::ranges::find(layers, of, &SoilLayer::material);
  return of == material || layer == layers.end() ? repose : layer->repose.value_or(repose);
}

double SoilLayer::at(const glm::dvec2& place) const {
  return varying ? varying->heights->height(place) : thickness;
}

Ground::Ground(const Soil& soil, double floor) : level_(soil.height), floor_(floor), top_(soil.height) {
  if (soil.surface) {
    heights_ = soil.surface->heights;
    top_ = heights_->top();
  }
  parts_ = solid_of(soil.parts, Pose{}, top_);
  for (const BodyPart& part : soil.parts)
    if (!part.subtract)
      top_ = std::max(top_, bounds_of(std::vector{part}, Pose{}).max.z - floor);
}

double Ground::height_without_parts(double x, double y) const {
  return heights_ ? heights_->height({x, y}) : level_;
}

// Spheres that the solid does not reach into are traced downwards (the distance is never above the truth), until the
// surface is within a ten-thousandth of the height. Of the ground without parts the distance along z will do, since
// nothing but this line is asked for.
double Ground::height(double x, double y) const {
  const double near = 1e-4 * top_, without_parts = height_without_parts(x, y);
  double z = top_ + near;
  while (z > 0.0) {
    const double distance = sample(parts_, {x, y, floor_ + z}, {z - without_parts, glm::dvec3(0.0, 0.0, 1.0)}).distance;
    if (distance < near)
      return std::max(z - distance, 0.0);
    z -= distance;
  }
  return 0.0;
}

}  // namespace talus
