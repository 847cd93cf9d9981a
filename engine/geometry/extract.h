#pragma once
// The surface of a scalar function as a mesh.
#include "engine/geometry/mesh.h"
#include <functional>

namespace talus {

// What happens where the inside reaches the bounds: refused, or cut off there.
enum class AtBounds { refuse, close };

// The surface f = 0, f < 0 inside, by marching tetrahedra: a grid over the bounds with cells of at most the given edge,
// each cut into six tetrahedra along one diagonal, alike in all cells. Closed, two triangles at every edge; what is
// thinner than a cell may be missed, and sharp edges are cut off by up to a cell. f is called once per node of the
// grid, by one thread, x fastest. Throws MeshError for a grid of more than 2^30 nodes, a value that is no number, too
// many triangles, and an inside that reaches the bounds.
Mesh extract_surface(const std::function<float(const glm::vec3&)>& f, const Bounds& bounds, double cell,
                     AtBounds at_bounds = AtBounds::refuse);

}  // namespace talus
