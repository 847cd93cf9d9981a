#pragma once
// The light of pictures, and the many pictures that make one of the quality `film`.
#include "shaders/shared/draw.h"
#include "viewer/renderer_camera.h"
#include "viewer/renderer_look.h"
#include <vector>

namespace talus {

// Sun and sky, exposed so that a level white surface in the open is 1. sun: unit, towards it.
shared::DrawLight sun_and_sky(const glm::vec3& sun);

// The same light from everywhere.
shared::DrawLight even_light();

// The materials of grains as they are drawn.
std::vector<shared::DrawMaterial> draw_materials(const Scene& scene, const Look& look);

// Pictures in one of the quality `film`.
inline constexpr std::uint32_t film_pictures = 64;

// Number k of these: another place within the pixels, on the lens and in the exposure, and another part of the light:
// the sun's disc in each fourth, and one direction of the sky in others. Both change in place. pixels: of the picture.
void take_part(shared::DrawFrame& frame, shared::DrawLight& light, const Scene& scene, const glm::vec2& pixels,
               std::uint32_t k);

}  // namespace talus
