#pragma once
// A mesh for closest-point queries: its triangles by cells of a grid, so that the nearest one is found among few.
#include "engine/geometry/mesh.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace talus {

// The sign is that of the angle-weighted normal of the nearest face, edge or corner (Baerentzen and Aanaes 2005). A
// mesh that is not closed has two sides: the distance is positive on both.
struct TriangleGrid {
  glm::vec3 origin{0.0f};  // m, lower corner of cell 0
  float cell = 0.0f;       // m, edge
  glm::uvec3 size{0u};     // cells per axis
  float far = 0.0f;        // m, the distance told where the surface is further away than that: outside, never too large
  bool closed = true;
  // One piece, for devices: the list of cell c, x fastest, is words[words[c]] .. words[words[c + 1]]. One of its
  // triangles before words[words[cells + 1 + c]] is nearest; the rest may be touched beside it. Each of its entries is
  // where a triangle stands: 30 floats as bits, the corners a, b, c from the origin, then the normals of the
  // face, of the edges ab, bc, ca and of the corners.
  std::vector<std::uint32_t> words;
};

// far: m, up to there distances are exact to rounding. Deep inside they are those of a triangle near the nearest.
// Throws MeshError for a mesh without triangles, and for one whose lists would take more than 512 MiB.
TriangleGrid triangle_grid(const Mesh& mesh, bool closed, double far);

// The same; who asks for an equal one while somebody holds it gets that one. Threads may ask at the same time.
std::shared_ptr<const TriangleGrid> shared_triangle_grid(const Mesh& mesh, bool closed, double far);

// Signed distance and its gradient, of length 1.
struct SurfaceSample {
  float distance;  // m
  glm::vec3 gradient;
};
SurfaceSample sample(const TriangleGrid& grid, const glm::vec3& p);

// The same by the parts of a grid that stands somewhere in `words`; p relative to its origin.
SurfaceSample sample(const std::uint32_t* words, const glm::uvec3& size, float cell, float far, bool closed,
                     const glm::vec3& p);

// The same distance; and, where that is less than `reach` [m], whether the mesh is hollow around p: is p in front of
// faces within reach that are turned against the nearest point's direction? A ball there may touch several places at
// once.
struct Surroundings {
  float distance;  // m
  bool hollow;
};
Surroundings look_around(const std::uint32_t* words, const glm::uvec3& size, float cell, float far, bool closed,
                         const glm::vec3& p, float reach);

// One of the places at which a ball touches a hollow of a mesh, in an order by their directions: the nearest point, and
// the nearest ones within `reach` [m] that lie in clearly other directions and are the nearest of all places around
// them. Nothing where there are no more than `rank`.
std::optional<SurfaceSample> sample_hollow(const std::uint32_t* words, const glm::uvec3& size, float cell, float far,
                                           bool closed, const glm::vec3& p, float reach, std::uint32_t rank);

}  // namespace talus
