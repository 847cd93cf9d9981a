#pragma once
// What the renderer draws of a scene's cloth: built once. Where the vertices are, and their normals, the device finds
// anew for every picture.
#include "engine/scene/scene.h"
#include "shaders/shared/draw.h"
#include <vector>

namespace talus {

struct ClothDrawing {
  std::vector<shared::DrawVertex> vertices;  // where they start, sheet after sheet; without normals
  std::vector<shared::DrawTriangle> triangles;
  std::vector<shared::DrawBody> looks;  // one per Scene::cloths; they come behind those of bodies
  // Where the triangles around vertex k begin in here, for k = 0 .. vertices; then those triangles.
  std::vector<shared::uint> around;
};

ClothDrawing cloth_drawing(const Scene& scene);

}  // namespace talus
