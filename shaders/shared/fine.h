// What only fine grains need: random numbers of those that are born on the device, integers that both sides must agree on, hence shared.
#ifndef TALUS_FINE_H
#define TALUS_FINE_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// Distances from bodies change by no more than this many times the way: those on grids may rise somewhat faster.
TALUS_CONST float fine_away = 1.2f;
// Bodies are looked at where they may be no further away than this many times a fine grain's way, theirs, and its radius. Beyond that
// it neither meets nor leaves one, also where they turn.
TALUS_CONST float fine_sure = 3.0f;
TALUS_CONST uint fine_tries = 16u;  // for a place in a ball; one in 10^5 needs more, and lies in the middle

// 24 random bits of a fine grain, the n-th.
TALUS_INLINE uint fine_random(uint number, uint n, uint seed) {
  uint x = number * 0x9E3779B1u + n * 0x85EBCA77u + seed;
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return (x ^ (x >> 16)) >> 8;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
