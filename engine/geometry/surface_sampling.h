#pragma once
// Points all over the surface of a mesh.
#include "engine/geometry/mesh.h"
#include "engine/geometry/sampling.h"

namespace talus {

struct SurfacePoint {
  glm::vec3 position;  // m
  glm::vec3 normal;    // of the triangle it lies on
};

// Poisson disks: random places, no two nearer than `spacing` [m], until nearly nothing fits in between any more (Sommer
// and Schwanecke 2022, section 3). Throws MeshError for more than 50 million of them.
std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double spacing, Random& random);

}  // namespace talus
