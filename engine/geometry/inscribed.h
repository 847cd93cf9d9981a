#pragma once
// Spheres that stand for a mesh.
#include "engine/geometry/mesh.h"

namespace talus {

// Spheres within a closed mesh, xyz centre, w radius [m], which hang together: the largest one that there is, then one
// after another the one that covers most of what those before it leave uncovered, among centres on a grid of at most
// 20 x 20 x 20. Each reaches to the surface and has a tenth of the radius of the largest one or more. As many as asked
// for, or fewer where no other covers anything more. Throws MeshError for a mesh without an inside on that grid.
std::vector<glm::dvec4> inscribed_spheres(const Mesh& mesh, std::size_t count);

}  // namespace talus
