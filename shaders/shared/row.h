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

// Was it too short for what was found?
TALUS_INLINE bool is_unfit(uint count_next) {
  return count_next >= row_unfit && count_next < row_wanted;
}

// Contacts that a row is to have room for after the search: those that were found, fitting or not, or the `count` of one that was not searched.
TALUS_INLINE uint row_needs(uint count_next, uint count) {
  return count_next == row_kept ? count : is_unfit(count_next) ? count_next - row_unfit : count_next;
}

// Where an incremental rebuild puts aside what more contacts than this remember, all lists are rebuilt. That follows from the slots that the lists take,
// and not from the room that the history buffer has, which is at least this: a state that is resumed goes on with the same bits. Some 6 of the 16 slots
// of a grain in a heap at rest have a history.
TALUS_INLINE uint set_aside_most(uint slots) { return slots / 8 * 3; }

#ifdef __cplusplus
}
#endif
#undef TALUS_INLINE
#endif
