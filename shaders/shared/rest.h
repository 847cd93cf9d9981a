// The states of sleepers. Integers that both sides must agree on, hence shared.
#ifndef TALUS_REST_H
#define TALUS_REST_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// A world is calm while none of its grains is faster than sleep_slow. There what is still, and what wakes a sleeper, is this share of what it is
// elsewhere. What sleeps stays as it is, with up to sleep_imbalance of its weight that nothing bears: in a bed that swings as a whole, all of it
// the same way. A plate under 600 grains bore 0.90 of their weight.
TALUS_CONST float calm_share = 0.1f;
// GrainRest.state of a sleeper that fell asleep while its world was not calm. It wakes once that is, to settle.
TALUS_CONST uint rest_hasty = 3u;
TALUS_CONST uint slice_hasty = 0x20000u;  // SliceActivity.state: there may be one in the slice
// GrainRest.state of a sleeper, beside what it is: contacts and gravity act on it in the next substep, though nothing stirs it.
TALUS_CONST uint rest_unsettled = 4u;

TALUS_INLINE bool is_asleep(uint state) {
  return (state & rest_kind_mask) >= rest_asleep;
}

TALUS_INLINE bool is_unsettled(uint state) {
  return is_asleep(state) && (state & rest_unsettled) != 0u;
}

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

// What wakes a dynamic body, as a share of what wakes a grain: 0.002 g. Its contacts average over many grains, and what it bears and weighs is to be so
// exact: a plate that creeps into the ground fell asleep 0.002 of its weight before it had come to rest.
TALUS_CONST float body_waking_share = 0.01f;
// BodyRest.state of a body in a linkage that is still itself, and falls asleep once all bodies of the linkage are.
TALUS_CONST uint rest_ready = rest_hasty;
// BodyRest.state, beside rest_asleep: the body has fallen asleep in this substep and still has the velocity that it had.
TALUS_CONST uint rest_falling = rest_unsettled;

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
