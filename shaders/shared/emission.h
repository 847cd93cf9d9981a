// How emitters look for room: numbers that both sides must agree on bit for bit, hence shared.
#ifndef TALUS_EMISSION_H
#define TALUS_EMISSION_H
#ifdef __cplusplus
#include "shaders/shared/random.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#include "shared/random.h"
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// Places that an emitted grain which waits is tried at in a step: the planned one, then sites of its emitter, others in each step. Bits of a word.
TALUS_CONST uint emission_tries = 8u;
// There is room where centres are further apart than this share of the sum of the radii. Not 1: a plan that is as good as the rounding
// of the run that it foresees would fail by chance.
TALUS_CONST float emission_apart = 0.999f;

// Emitted grains that an emitter looks at in a step: [late, late_end), which were due before, and [now, end).
struct Due {
  uint late;
  uint late_end;
  uint now;
  uint end;
};

// made: by the emitter in this world so far.
TALUS_INLINE Due due_of(EmissionDue schedule, uint made) {
  uint next = schedule.base + made, late = next < schedule.first ? next : schedule.first, wait = schedule.first - late;
  Due due;
  due.late = late;
  due.late_end = late + (wait < schedule.waiting ? wait : schedule.waiting);
  due.now = schedule.first;
  due.end = schedule.end;
  return due;
}

// Which of the sites grain k of an emitter is tried at, the t-th time in a step: the centre of a clump, by each of its spheres.
TALUS_INLINE uint site_of(uint k, uint t, EmissionDue schedule, uint emitter) {
  return schedule.first_site + random_bits((k - schedule.base) / schedule.spheres, schedule.step * emission_tries + t, emitter) % schedule.sites;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
