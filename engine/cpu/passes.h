#pragma once
// Hot passes again, for those who run on the CPU: vectorised, and held to the reference.
#include "engine/core/passes.h"

namespace talus::cpu {

#define TALUS_VECTORISED_PASSES(X)                                                                                     \
  X(contact_count)                                                                                                     \
  X(contact_fill)                                                                                                      \
  X(history_save)                                                                                                      \
  X(history_restore)                                                                                                   \
  X(incremental_mark)                                                                                                  \
  X(incremental_choose)                                                                                                \
  X(incremental_search)                                                                                                \
  X(dem)                                                                                                               \
  X(clump_move)                                                                                                        \
  X(vts_warm_start)                                                                                                    \
  X(vts_solve)                                                                                                         \
  X(sp_warm_start)                                                                                                     \
  X(sp_solve)                                                                                                          \
  X(contact_weigh)                                                                                                     \
  X(p2_solve)                                                                                                          \
  X(p2_remember)                                                                                                       \
  X(pbd_solve)                                                                                                         \
  X(pbd_stabilize)

// By the number of lanes.
#define X(name) void name(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
namespace lanes_4 {
TALUS_VECTORISED_PASSES(X)
}
namespace lanes_8 {
TALUS_VECTORISED_PASSES(X)
}
namespace lanes_16 {
TALUS_VECTORISED_PASSES(X)
}
#undef X

// The most lanes, of 4, 8 and 16, for which this processor has registers and the library has passes; 1: it has none.
int most_lanes();

// These passes, with those replaced that are here with at most so many lanes.
PassFunctions vectorised(PassFunctions passes, int lanes);

}  // namespace talus::cpu
