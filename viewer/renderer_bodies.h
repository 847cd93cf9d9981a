#pragma once
// What the renderer draws of a scene's bodies: built once, posed anew for every picture.
#include "engine/scene/scene.h"
#include "shaders/shared/draw.h"
#include <vector>

namespace talus {

struct BodyDrawing {
  std::vector<shared::DrawVertex> vertices;
  std::vector<shared::DrawTriangle> triangles;
  std::vector<shared::DrawBody> bodies;  // one per Scene::bodies
};

// tolerance: of what is round, m.
BodyDrawing body_drawing(const Scene& scene, double tolerance);

}  // namespace talus
