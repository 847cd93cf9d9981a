#pragma once
// Points all over the surface of a mesh.
#include "engine/geometry/mesh.h"
#include "engine/scene/sampling.h"

namespace talus {

inline constexpr double surface_points_most = 5e5;

struct SurfacePoint {
  glm::vec3 position;  // m
  glm::vec3 normal;    // of the triangle it lies on
};

// Poisson disks: random places, no two nearer than `spacing` [m], until nearly nothing fits in between any more (Sommer
// and Schwanecke 2022, section 3). Time and memory grow with their number. Throws MeshError, before any work, where
// they would be more than surface_points_most, as estimated from the area and the edges.
std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double spacing, Random& random);

}  // namespace talus
