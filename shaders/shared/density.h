// Where a node of the density grid lies in its table: integers that both sides must agree on, hence shared.
//
// Nodes come in blocks of 4 x 4 x 4. Like the cells of grid.h, blocks lie in a table that repeats over space. Of places that share a
// block only one may have it: density_owner holds its key, the least of those where fine grains are.
#ifndef TALUS_DENSITY_H
#define TALUS_DENSITY_H
#ifdef __cplusplus
#include "shaders/shared/grid.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#include "shared/grid.h"
#define TALUS_INLINE
#endif

TALUS_INLINE ivec3 density_block_of(ivec3 node) {
  return ivec3(node.x >> 2, node.y >> 2, node.z >> 2);
}

TALUS_INLINE uint density_slot(ivec3 block, uvec3 bits) {
  return grid_key(block, bits);
}

// Which repetition of the table it is.
TALUS_INLINE uint density_key(ivec3 block, uvec3 bits) {
  uint x = uint(block.x >> int(bits.x)), y = uint(block.y >> int(bits.y)), z = uint(block.z >> int(bits.z));
  return (x & 0x3FFu) | (y & 0x3FFu) << 10 | (z & 0x3FFu) << 20;
}

// Of density_count.
TALUS_INLINE uint density_index(ivec3 node, uvec3 bits) {
  uint within = (uint(node.z) & 3u) << 4 | (uint(node.y) & 3u) << 2 | (uint(node.x) & 3u);
  return density_slot(density_block_of(node), bits) * density_block + within;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
