// What only fine grains need.
#ifndef TALUS_FINE_H
#define TALUS_FINE_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#else
#define TALUS_CONST const
#endif

// Distances from bodies change by no more than this many times the way: those on grids may rise somewhat faster.
TALUS_CONST float fine_away = 1.2f;
// Bodies are looked at where they may be no further away than this many times a fine grain's way, theirs, and its radius. Beyond that
// it neither meets nor leaves one, also where they turn.
TALUS_CONST float fine_sure = 3.0f;
TALUS_CONST uint fine_tries = 16u;  // for a place in a ball; one in 10^5 needs more, and lies in the middle

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#endif
