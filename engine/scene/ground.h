#pragma once
// The surface of the ground as a scene describes it, before anything digs.
#include "engine/geometry/solid.h"
#include "engine/scene/scene.h"

namespace talus {

class Ground {
public:
  Ground(const Soil& soil, double floor);  // floor: m, z of the lowest soil

  // m, above the floor, at x, y in the world [m]. Where a part hangs over the ground, the highest surface counts.
  double height(double x, double y) const;
  double height_without_parts(double x, double y) const;
  double top() const { return top_; }  // m, no surface is higher

private:
  double level_;
  std::shared_ptr<const Heightmap> heights_;  // in place of level_
  Solid parts_;
  double floor_;
  double top_;
};

}  // namespace talus
