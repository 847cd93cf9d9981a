// Worlds: copies of the scene that lie one after another in the fields. Integers that both sides must agree on, hence shared.
#ifndef TALUS_WORLD_H
#define TALUS_WORLD_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

// How many there are.
TALUS_INLINE uint world_count() {
  return 1u;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
