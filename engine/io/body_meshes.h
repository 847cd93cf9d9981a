#pragma once
// Bodies as they are exported.
#include "engine/geometry/mesh.h"
#include "engine/scene/scene.h"

namespace talus {

// The surface of a body, in its frame; empty where it is hidden. A plane is a square that covers the domain while
// the body is about where it starts.
Mesh exported_mesh(BodySpec body, const Domain& domain);
std::vector<Mesh> exported_meshes(const Scene& scene);

}  // namespace talus
