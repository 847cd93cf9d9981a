// Rows of the lists that are rebuilt incrementally, by their contact_count_next.
#ifndef TALUS_ROW_H
#define TALUS_ROW_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

// Is it to be searched again, be it for bodies and walls alone?
TALUS_INLINE bool is_searched(uint count_next) {
  return count_next == row_wanted || count_next == row_touched;
}

#ifdef __cplusplus
}
#endif
#undef TALUS_INLINE
#endif
