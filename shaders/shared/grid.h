// Where a cell lies in the table. Integers that both sides must agree on bit for bit, hence shared.
//
// The table is a torus of 2^bits cells per axis that repeats over space, not a Teschner hash: neighbouring cells are
// neighbours in memory, and no two of the 27 cells around a point meet in one entry (bits >= 2), so a search sees no
// grain twice and needs no check for collisions beyond the distance. Each world has a table of its own, one after another.
#ifndef TALUS_GRID_H
#define TALUS_GRID_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

TALUS_INLINE uint grid_cells(uvec3 bits) {
  return 1u << (bits.x + bits.y + bits.z);
}

TALUS_INLINE uint grid_key(ivec3 cell, uvec3 bits) {
  uint x = uint(cell.x) & ((1u << bits.x) - 1u);
  uint y = uint(cell.y) & ((1u << bits.y) - 1u);
  uint z = uint(cell.z) & ((1u << bits.z) - 1u);
  return (((z << bits.y) | y) << bits.x) | x;
}

// Words of a cell's set of bodies.
TALUS_INLINE uint body_words(uint bodies) {
  return (bodies + 31u) / 32u;
}

// Words of cell_lists, which has `cells` cells: of all tables, sets of bodies; then, of linked lists, the head of each cell's;
// then a link for each grain.
TALUS_INLINE uint link_head_word(uint cells, uint bodies, uint cell) {
  return cells * body_words(bodies) + cell;
}
TALUS_INLINE uint link_word(uint cells, uint bodies, uint grain) {
  return cells * (body_words(bodies) + 1u) + grain;
}
// How many there are; linked: with heads and links.
TALUS_INLINE uint cell_list_words(uint cells, uint bodies, bool linked, uint grains) {
  return linked ? link_word(cells, bodies, grains) : cells * body_words(bodies);
}

// A word of the set of all.
TALUS_INLINE uint body_word_of_all(uint bodies, uint word) {
  uint rest = bodies - 32u * word;
  return rest >= 32u ? 0xFFFFFFFFu : (1u << rest) - 1u;
}

// Cell coordinate on a periodic axis of n cells, for c in [-n, 2n); n = 0: not periodic.
TALUS_INLINE int grid_wrap(int c, int n) {
  if (n == 0)
    return c;
  return c < 0 ? c + n : (c >= n ? c - n : c);
}

// The same for any c, and n > 0. Of unsigned numbers, since Vulkan leaves the remainder of negative ones undefined.
TALUS_INLINE int grid_home(int c, int n) {
  return c < 0 ? n - 1 - int(uint(-1 - c) % uint(n)) : int(uint(c) % uint(n));
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
