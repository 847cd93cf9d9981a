// Where shape_data holds what contacts need of cloth, from word `first` on. Vertices and triangles are numbered through all worlds; `vertices`
// and `triangles` count those of all worlds. First come the corners of each triangle, three vertices, with cloth_border; then of each vertex
// its slot in memory; then how many contacts with the triangles around it share its mass; then the number of its cloth; then for each world
// the first triangle of each cell of cloth_sort, and behind the last cell the end; then the triangles in that order. Integers that both sides
// must agree on, hence shared.
#ifndef TALUS_CLOTH_H
#define TALUS_CLOTH_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#define TALUS_CONST constexpr
#else
#define TALUS_INLINE
#define TALUS_CONST const
#endif

// Difference of two squared distances, as a share of them, that may be one of rounding.
TALUS_CONST float cloth_as_near = 1e-4f;

TALUS_CONST uint no_vertex = 0xFFFFFFFFu;

TALUS_INLINE uint cloth_corner_word(uint first, uint triangle, uint corner) {
  return first + 3u * triangle + corner;
}
TALUS_INLINE uint cloth_index_word(uint first, uint triangles, uint vertex) {
  return first + 3u * triangles + vertex;
}
TALUS_INLINE uint cloth_contacts_word(uint first, uint triangles, uint vertices, uint vertex) {
  return first + 3u * triangles + vertices + vertex;
}
TALUS_INLINE uint cloth_number_word(uint first, uint triangles, uint vertices, uint vertex) {
  return first + 3u * triangles + 2u * vertices + vertex;
}
// cells: of the table of one world.
TALUS_INLINE uint cloth_start_word(uint first, uint triangles, uint vertices, uint cells, uint world, uint cell) {
  return first + 3u * triangles + 3u * vertices + world * (cells + 1u) + cell;
}
TALUS_INLINE uint cloth_order_word(uint first, uint triangles, uint vertices, uint cells, uint worlds, uint k) {
  return first + 3u * triangles + 3u * vertices + worlds * (cells + 1u) + k;
}

// Passes over vertices of cloth have this many threads for each of several worlds, so that a workgroup belongs to one world.
TALUS_INLINE uint cloth_threads(uint vertices) {
  return (vertices + group_size - 1u) / group_size * group_size;
}
// The vertex of a thread of such a pass, numbered through all worlds; no_vertex: it has none. vertices: of one world.
TALUS_INLINE uint cloth_vertex(uint thread, uint vertices, uint worlds) {
  uint world = thread / cloth_threads(vertices), k = thread % cloth_threads(vertices);
  return world < worlds && k < vertices ? world * vertices + k : no_vertex;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#undef TALUS_CONST
#endif
