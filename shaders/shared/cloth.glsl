// What contacts need of cloth. Needs settings and shape_data in scope.
#ifndef TALUS_CLOTH_GLSL
#define TALUS_CLOTH_GLSL
#include "shared/cloth.h"
#include "shared/partner.h"

layout(constant_id = 2) const uint with_cloth = 1u;  // constant_cloth

uint triangle_corner(uint triangle, uint corner) {
  return shape_data[cloth_corner_word(settings.cloth.words, triangle, corner)] & ~cloth_border;
}
bool is_on_border(uint triangle, uint corner) {
  return (shape_data[cloth_corner_word(settings.cloth.words, triangle, corner)] & cloth_border) != 0u;
}
uint place_of_vertex(uint vertex) { return shape_data[cloth_place_word(settings.cloth.words, settings.cloth.triangles, vertex)]; }
uint cloth_of_vertex(uint vertex) {
  return shape_data[cloth_number_word(settings.cloth.words, settings.cloth.triangles, settings.cloth.vertices, vertex)];
}
#endif
