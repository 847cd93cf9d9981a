#pragma once
// What follows from the description of a cloth.
#include "engine/geometry/pose.h"
#include "engine/scene/scene.h"

namespace talus {

// As it hangs together, in its own frame.
ClothSheet sheet_of(const ClothSpec& cloth);

Pose pose_of(const ClothSpec& cloth);

// A box around it, where the cloth is.
Bounds bounds_of(const ClothSpec& cloth, const ClothSheet& sheet);

// Of the triangles, m; 0 without any.
struct SideRange {
  double min = 0.0, max = 0.0;
};
SideRange sides_of(const ClothSheet& sheet);

// The vertex nearest to a place in the sheet's frame, of equally near ones the first.
std::uint32_t nearest_vertex(const ClothSheet& sheet, const glm::dvec3& place);

// Whether each vertex is held where it is.
std::vector<bool> pinned_of(const ClothSpec& cloth, const ClothSheet& sheet);

// Why the cloth cannot be where it is: what comes after its name in a message; empty where it can.
std::string misplaced(const ClothSpec& cloth, const ClothSheet& sheet, const Domain& domain);

// What bounds the substeps of cloth: the greatest of the scene, 0 without cloth.
struct ClothPace {
  double sides = 0.0;  // 1/s: of the shortest side of a triangle, that a vertex goes which has fallen as far as it can
  double stretch = 0.0;  // 1/s2: how much longer cloth hangs than it is, on average, over the substep squared
};
ClothPace pace_of(const Scene& scene);

}  // namespace talus
