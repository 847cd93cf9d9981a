// Where shape_data holds what contacts need of cloth, from word `first` on: the corners of each triangle, three vertices, with cloth_border; then of each vertex
// its place in memory; then how many contacts with the triangles around it share its mass; then the number of its cloth; then of each cell of cloth_sort, and behind the last
// one, the first triangle in it; then the triangles in that order. Integers that both sides must agree on, hence shared.
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

TALUS_INLINE uint cloth_corner_word(uint first, uint triangle, uint corner) {
  return first + 3u * triangle + corner;
}
TALUS_INLINE uint cloth_place_word(uint first, uint triangles, uint vertex) {
  return first + 3u * triangles + vertex;
}
TALUS_INLINE uint cloth_contacts_word(uint first, uint triangles, uint vertices, uint vertex) {
  return first + 3u * triangles + vertices + vertex;
}
TALUS_INLINE uint cloth_number_word(uint first, uint triangles, uint vertices, uint vertex) {
  return first + 3u * triangles + 2u * vertices + vertex;
}
TALUS_INLINE uint cloth_start_word(uint first, uint triangles, uint vertices, uint cell) {
  return first + 3u * triangles + 3u * vertices + cell;
}
TALUS_INLINE uint cloth_order_word(uint first, uint triangles, uint vertices, uint cells, uint k) {
  return first + 3u * triangles + 3u * vertices + cells + 1u + k;
}
// Its record in body_sums, behind those of bodies.
TALUS_INLINE uint cloth_record(uint bodies, uint vertex) {
  return load_words * (load_copies * bodies + vertex);
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#undef TALUS_CONST
#endif
