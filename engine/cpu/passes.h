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

#define X(name) void name(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
TALUS_VECTORISED_PASSES(X)
namespace avx512 {  // for processors with AVX-512
TALUS_VECTORISED_PASSES(X)
}
#undef X

// Has this processor AVX-512, and the library passes for it?
bool runs_avx512();

// These passes, with those replaced that are here. avx512: for processors that run them.
PassFunctions vectorised(PassFunctions passes, bool avx512);

}  // namespace talus::cpu
