#pragma once
// Normals of meshes.
#include "engine/geometry/mesh.h"
#include "engine/geometry/trim.h"

namespace talus {

// A mesh with normals, smooth but for edges where faces meet at more than the angle [degrees]: there, vertices are
// doubled.
Triangles creased(const Mesh& mesh, double angle = 40.0);

}  // namespace talus
