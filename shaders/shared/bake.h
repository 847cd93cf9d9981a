// Places of the sdf_* passes: integers that both sides must agree on.
#ifndef TALUS_BAKE_H
#define TALUS_BAKE_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

// Place of element i of a box of elements, x fastest, and the other way round.
TALUS_INLINE uvec3 place_of(uint i, uvec3 size) {
  return uvec3(i % size.x, i / size.x % size.y, i / (size.x * size.y));
}
TALUS_INLINE uint index_of(uvec3 place, uvec3 size) {
  return (place.z * size.y + place.y) * size.x + place.x;
}

// Corner of bricks nearest to a node.
TALUS_INLINE uint nearest_corner(uvec3 node, uvec3 bricks) {
  return index_of((node + brick_edge / 2u) / brick_edge, bricks + 1u);
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
