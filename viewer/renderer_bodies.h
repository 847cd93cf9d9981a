#pragma once
// What the renderer draws of a scene's bodies: built once, posed anew for every picture.
#include "viewer/renderer_cloth.h"

namespace talus {

struct BodyDrawing {
  std::vector<shared::DrawVertex> vertices;  // of cloth, then of bodies
  std::vector<shared::DrawTriangle> triangles;
  std::vector<shared::DrawBody> bodies;  // one per Scene::bodies, then per Scene::cloths, then per Scene::shapes
  bool shapes = false;                   // all shapes have a surface to draw in place of their particles
};

// The poses at the start, for fields of bodies that nothing has filled yet; no more than poses.
std::vector<shared::Body> bodies_at_start(const Scene& scene);

// tolerance: of what is round, m.
BodyDrawing body_drawing(const Scene& scene, const ClothDrawing& cloth, double tolerance);

}  // namespace talus
