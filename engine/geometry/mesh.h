#pragma once
// Triangle meshes: what they enclose, how they are read from files and repaired, how they are written.
#include "engine/base/cache.h"
#include "engine/geometry/bounds.h"
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus {

// "FILE: what is wrong", or "gear: ..", "surface: .." where the mesh comes from a generator.
struct MeshError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Mesh {
  std::vector<glm::vec3> vertices;    // m
  std::vector<glm::uvec3> triangles;  // counterclockwise seen from outside
};

inline constexpr std::uint32_t no_index = ~0u;  // in place of the index of a vertex, a triangle or a part
inline constexpr std::size_t mesh_triangles_most = 2'000'000;
inline constexpr std::uintmax_t mesh_bytes_most = std::uintmax_t(512) << 20;  // of a file and what it refers to

std::uint64_t checksum(const Mesh& mesh, std::uint64_t sum = checksum_of_nothing);  // its vertices, then its triangles
Bounds bounds(const Mesh& mesh);                                                    // of the vertices; zero for none
double area(const Mesh& mesh);                                                      // m2

// Of a closed mesh, exact up to rounding: the integrals over the tetrahedra between each triangle and one point.
double volume(const Mesh& mesh);  // m3; negative for a mesh that is inside out
struct VolumeProperties {
  double volume = 0.0;      // m3
  glm::dvec3 center{0.0};   // m, of mass
  glm::dmat3 inertia{0.0};  // m5: moments and products of inertia about the centre, for a density of 1
};
VolumeProperties volume_properties(const Mesh& mesh);  // throws MeshError unless the volume is positive

enum class UpAxis { x, y, z };

struct MeshOptions {
  double scale = 1.0;        // m per unit of the file; of COLLADA, whose files say what a unit is, per m
  // The file's axis that becomes z; unset: y for glTF, which defines it so, what a COLLADA file says, else z.
  std::optional<UpAxis> up;
  double hole = 0.25;        // holes whose edge is at most this many diagonals of the bounding box long are closed
  bool solid = true;         // refuse what has no inside: what is flat, and one-sided surfaces
};

struct LoadedMesh {
  Mesh mesh;
  bool closed = false;               // each edge is used equally often in both directions
  std::vector<std::string> repairs;  // what was ignored, changed, or could not be, one sentence each
};

// OBJ, STL, PLY, glTF, GLB and COLLADA (.dae), told by the name's extension; all meshes of the file as one, placed as the file's nodes
// say. Materials, normals, animations are not read. Of the files that a file names, glTF's buffers alone are read, and
// only from its own folder. Then repaired as below. Throws MeshError.
LoadedMesh load_mesh(const std::filesystem::path& file, const MeshOptions& options = {});

// In this order:
// - vertices within 1e-6 of the bounding box's diagonal of an earlier one are welded to it; those in the same place
//   are no repair, since STL and the reader of OBJ give each triangle its own;
// - triangles with a repeated corner and repeated triangles go, and the backs of parts given from both sides;
// - neighbours are wound alike, as most of their part is. Edges with more than two triangles stay as they are: whether
// a
//   point is inside is told by winding numbers there;
// - triangles without height, thinner than the welding distance, go, and the neighbour at their longest edge is split
//   instead, so that no gap opens;
// - holes up to options.hole are closed by clipping ears. Longer ones stay, and the mesh is not closed;
// - closed parts that are inside out are turned. Parts within them turn with them; parts within others stay as they
//   are, so that a cavity stays one. A part is what hangs together over edges;
// - unused vertices go.
// Refused are meshes without triangles, with more than mesh_triangles_most, with corners that do not exist or
// coordinates that are no finite numbers, and with options.solid what has no inside. `name` stands for the mesh in
// messages.
LoadedMesh repair_mesh(Mesh mesh, const std::string& name, const MeshOptions& options = {});

// The triangles of an outline, by ears in the plane of its mean normal, as indices into it. One that crosses itself is
// cut in some way.
std::vector<glm::uvec3> triangulate(std::span<const glm::dvec3> outline);

// Binary STL or OBJ, by the extension. Throws MeshError.
void write_mesh(const std::filesystem::path& file, const Mesh& mesh);

}  // namespace talus
