#include "engine/scene/ground.h"
#include "engine/scene/bodies.h"
#include <algorithm>

namespace talus {

Ground::Ground(const Soil& soil, double floor) : floor_(floor), top_(soil.height) {
  std::vector<BodyPart> parts{{.shape = PlanePart{}, .position = {0.0, 0.0, floor + soil.height}}};
  parts.insert(parts.end(), soil.parts.begin(), soil.parts.end());
  solid_ = solid_of(parts, Pose{}, soil.height);
  for (const BodyPart& part : soil.parts)
    if (!part.subtract)
      top_ = std::max(top_, bounds_of(std::vector{part}, Pose{}).max.z - floor);
}

// Spheres that the solid does not reach into are traced downwards (the distance is never above the truth), until the
// surface is within a ten-thousandth of the height.
double Ground::height(double x, double y) const {
  const double near = 1e-4 * top_;
  double z = top_ + near;
  while (z > 0.0) {
    const double distance = sample(solid_, {x, y, floor_ + z}).distance;
    if (distance < near)
      return std::max(z - distance, 0.0);
    z -= distance;
  }
  return 0.0;
}

}  // namespace talus
