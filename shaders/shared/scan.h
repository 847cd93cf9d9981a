// How a prefix sum is cut into chunks: integers that both sides must agree on.
#ifndef TALUS_SCAN_H
#define TALUS_SCAN_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

TALUS_CONST uint scan_thread = 8u;                        // elements of a thread in one round
TALUS_CONST uint scan_round = scan_thread * group_size;  // of a workgroup

// Elements of a chunk. Short arrays take fewer than scan_chunks: the chunks behind their end are empty.
TALUS_INLINE uint scan_size(uint elements) {
  uint size = (elements + scan_chunks - 1u) / scan_chunks;
  return size > scan_round ? size : scan_round;
}

// Chunks with anything in them; one at least, since the total is written even where there is nothing.
TALUS_INLINE uint scan_chunks_of(uint elements) {
  return elements > 0u ? (elements + scan_size(elements) - 1u) / scan_size(elements) : 1u;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
