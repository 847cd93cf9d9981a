#pragma once
// Sheets of cloth as vertices with distances to keep: what the solver sees of a grid or a mesh.
#include "engine/geometry/mesh.h"

namespace talus {

// What a distance between two vertices stands for.
enum class ClothLinkKind { stretch, shear, bend };

struct ClothEdge {
  glm::uvec2 ends;  // vertices, the lower one first
  ClothLinkKind kind;
};

struct ClothSheet {
  std::vector<glm::dvec3> vertices;   // m, in its own frame
  std::vector<double> areas;          // m2, of each vertex: a third of the triangles around it
  std::vector<glm::uvec3> triangles;  // the corner opposite the longest side first, in the order of those corners
  std::vector<ClothEdge> edges;       // sorted by ends; no pair twice: of two kinds the earlier one stays
};

// Of each vertex: does the sheet end there, or do more than two triangles share a side there, or two that are turned
// against each other?
std::vector<bool> border_of(const ClothSheet& sheet);

// A flat rectangle in the plane z = 0 around the origin: cells.x times cells.y quads, each cut into two triangles, the
// cuts alternating. Vertex (i, j) is number j (cells.x + 1) + i. Its sides stretch, both diagonals of its quads shear,
// and every vertex but one along rows and columns bends.
ClothSheet cloth_grid(glm::dvec2 size, glm::uvec2 cells);

// The sides of a mesh's triangles stretch, corners across a side bend. Nothing shears: its sides brace each other.
ClothSheet cloth_mesh(const Mesh& mesh);

}  // namespace talus
