// GrainRest.state. Integers that both sides must agree on, hence shared.
#ifndef TALUS_REST_H
#define TALUS_REST_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

TALUS_INLINE uint rest_kind(uint state) {
  return state & rest_kind_mask;
}
TALUS_INLINE uint rest_state(uint kind, uint clock) {
  return kind | clock << rest_clock_shift;
}
// Substeps from when an awake grain was last looked at to `now`, World.clock.
TALUS_INLINE uint rest_since(uint state, uint now) {
  return ((now << rest_clock_shift) - (state & ~rest_kind_mask)) >> rest_clock_shift;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
