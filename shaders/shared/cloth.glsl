// What contacts need of cloth. Needs settings and shape_data in scope.
#ifndef TALUS_CLOTH_GLSL
#define TALUS_CLOTH_GLSL
#include "shared/cloth.h"
#include "shared/partner.h"

layout(constant_id = 2) const uint with_cloth = 1u;  // constant_cloth

// Words of shape_data. Triangles and vertices are numbered through all worlds.
#define all_triangles (settings.worlds.count * settings.cloth.triangles)
#define all_vertices (settings.worlds.count * settings.cloth.vertices)
uint corner_word(uint triangle, uint corner) { return cloth_corner_word(settings.cloth.words, triangle, corner); }
uint place_word(uint vertex) { return cloth_index_word(settings.cloth.words, all_triangles, vertex); }
uint contacts_word(uint vertex) { return cloth_contacts_word(settings.cloth.words, all_triangles, all_vertices, vertex); }

uint triangle_corner(uint triangle, uint corner) { return shape_data[corner_word(triangle, corner)] & ~cloth_border; }
bool is_on_border(uint triangle, uint corner) { return (shape_data[corner_word(triangle, corner)] & cloth_border) != 0u; }
uint place_of_vertex(uint vertex) { return shape_data[place_word(vertex)]; }
// The number of its cloth, the same in all worlds.
uint cloth_of_vertex(uint vertex) { return shape_data[cloth_number_word(settings.cloth.words, all_triangles, all_vertices, vertex)]; }
#endif
