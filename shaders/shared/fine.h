// What only fine grains need.
#ifndef TALUS_FINE_H
#define TALUS_FINE_H
#ifdef __cplusplus
#include "shaders/shared/grid.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#include "shared/grid.h"
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// Distances from bodies change by no more than this many times the way: those on grids may rise somewhat faster.
TALUS_CONST float fine_away = 1.2f;
// Bodies are looked at where they may be no further away than this many times a fine grain's way, theirs, and its radius. Beyond that
// it neither meets nor leaves one, also where they turn.
TALUS_CONST float fine_sure = 3.0f;
TALUS_CONST uint fine_tries = 16u;  // for a place in a ball; one in 10^5 needs more, and lies in the middle

// Values of near_motion, for each block of 2 x 2 x 2 near cells. A coarse grain that has a velocity writes to the blocks around it: out to the distance
// at which fine grains see it, and where it stirs, two edges of the density grid further, so that all fine grains are counted that bear on those
// which make room. A coarse grain that sleeps has no velocity, and fine grains that are carried rest where the value is near_still.
TALUS_CONST uint near_still = 0u;
TALUS_CONST uint near_moves = 1u;
TALUS_CONST uint near_stirs = 2u;  // the coarse grain is so fast that fine grains may have to make room
// m2/s2, the square of the speed above which a coarse grain stirs: 0.9 density_still, since stir_of() is at most the speed of the fastest coarse grain.
TALUS_CONST float near_stirring2 = 8.1e-7f;
// Each fine grain that rests is looked at once in so many moves, since what carried it may have been taken away.
TALUS_CONST uint fine_look = 32u;

TALUS_INLINE uint near_blocks(uvec3 bits) {
  return grid_cells(bits) >> 3;
}

// cell: home along periodic axes.
TALUS_INLINE uint near_block(ivec3 cell, uvec3 bits) {
  return grid_key(ivec3(cell.x >> 1, cell.y >> 1, cell.z >> 1), uvec3(bits.x - 1u, bits.y - 1u, bits.z - 1u));
}

// Steps from cell c towards `last` so that each block between them is met: by a block, at most to `last`. Along a periodic axis of an odd number n of
// cells the last block has one cell alone, so that the step is a cell; n is 0 where the axis is not periodic.
TALUS_INLINE int near_next(int c, int last, int n) {
  int next = c + ((uint(n) & 1u) != 0u ? 1 : 2);
  return c < last && next > last ? last : next;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
