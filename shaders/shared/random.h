// Random numbers of what is born on the device: integers that both sides must agree on, hence shared.
#ifndef TALUS_RANDOM_H
#define TALUS_RANDOM_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

// 24 random bits of something that has a number, the n-th.
TALUS_INLINE uint random_bits(uint number, uint n, uint seed) {
  uint x = number * 0x9E3779B1u + n * 0x85EBCA77u + seed;
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return (x ^ (x >> 16)) >> 8;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
