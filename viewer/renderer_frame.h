#pragma once
// What a picture shows besides grains, bodies and cloth: camera, light, scales, ground, the domain's edges.
#include "shaders/shared/draw.h"
#include "viewer/renderer_camera.h"
#include "viewer/renderer_look.h"
#include <vector>

namespace talus {

// All that does not depend on where the camera stands. The light comes from the left of the scene's own view, and stays
// when the camera moves. box: content(scene), which takes long to find, here and below.
shared::DrawFrame frame_of(const Scene& scene, const Box& box);

// 1, 2 or 5 times a power of ten, not above x.
float round_number(float x);

// The lamp stands that way, a unit vector.
void light_from(shared::DrawFrame& frame, const glm::vec3& way);

// Looks through this camera, at a picture so many pixels wide.
void aim(shared::DrawFrame& frame, const Box& box, const View& view, int width);

// What colours the grains, how large they are, and what shows contacts.
void show(shared::DrawFrame& frame, const Scene& scene, const Box& box, const Look& look);

// The edges of the domain between two walls, and those of a periodic side, dashed. What is open has none.
std::vector<shared::DrawLine> domain_lines(const Domain& domain);

}  // namespace talus
