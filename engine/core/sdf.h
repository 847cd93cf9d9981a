#pragma once
// Signed distance fields: baked from a mesh by passes on any executor, kept on disk, sampled.
#include "engine/geometry/mesh.h"
#include <cstdint>
#include <filesystem>
#include <string>

namespace talus {

class Executor;

// Distance from a surface at the nodes of a regular grid, positive outside. Without nodes it is nowhere.
struct Sdf {
  glm::vec3 origin{0.0f};     // m, of node 0
  float cell = 0.0f;          // m
  glm::uvec3 size{0u};        // nodes per axis, 2 at least
  std::vector<float> values;  // m, x fastest
};

struct SdfSettings {
  float cell = 0.0f;                    // m; 0: half a grain radius, or without one a hundredth of the mesh's extent
  float grain_radius = 0.0f;            // m; 0: not known
  float padding = 0.0f;                 // m, around the mesh; 0: a grain radius and two cells
  std::uint32_t nodes_max = 1u << 21u;  // 128 x 128 x 128; cells grow until there are no more
};

// The grid for a mesh, without values; without nodes for a mesh without triangles. `note` says in a sentence what is
// not as the settings ask. Throws SceneError where a triangle has a vertex that is not there or no number.
Sdf sdf_grid(const Mesh& mesh, const SdfSettings& settings, std::string& note);

// Exact (to float rounding) where the surface is nearer than four cells, or than a grain radius and a cell. Further off
// interpolated between exact distances at every fourth node: above the truth by 0.8 cells at most, and below it by up
// to 3.5 cells where the field has a ridge; over one cell the one passes into the other.
// Inside is where the generalised winding number is above a half. A hole is closed by a surface across it; where it is
// wider than a cell, the distance jumps there from one sign to the other. Shells inside or through each other count as
// their union, but the distance is that of the nearest triangle all the same, be it inside.
Sdf bake_sdf(const Mesh& mesh, const SdfSettings& settings, Executor& executor, std::string& note);

// The same, from the folder where an earlier call left it; else baked and, where the folder can be written, left there.
// No folder: baked.
Sdf cached_sdf(const Mesh& mesh, const SdfSettings& settings, Executor& executor, std::string& note,
               const std::filesystem::path& folder);

// Trilinear value and its gradient. Outside the grid: the value at its nearest point and the way there, which is never
// too small.
struct SdfSample {
  float distance;  // m
  glm::vec3 gradient;
};
SdfSample sample(const Sdf& sdf, const glm::vec3& p);

}  // namespace talus
