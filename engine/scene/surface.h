#pragma once
// The surfaces of bodies as triangles, for drawing.
#include "engine/scene/scene.h"
#include "shaders/shared/draw.h"
#include <vector>

namespace talus {

struct Surface {
  std::vector<shared::DrawVertex> vertices;  // normals of length 1, outwards; doubled at sharp edges
  std::vector<glm::uvec3> triangles;         // counterclockwise seen from outside
};

// In the body's frame. Parts that are put together meet in sharp edges, and what lies inside of others is gone.
// tolerance: how far triangles may lie inside of what is round, m. plane: half the edge of the square that stands for
// a plane, m.
Surface surface_of(const BodySpec& body, double tolerance, double plane);

// Returns the meshes that a body is drawn by: its visual parts, each as it is, or the surface above where it has none.
Surface drawn_surface_of(const BodySpec& body, double tolerance, double plane);

}  // namespace talus
