#include "engine/cpu/passes.h"
#include "engine/cpu/lanes.h"
#include <algorithm>

namespace talus::cpu {

int most_lanes() {
#if defined(TALUS_TARGETS)
  if (__builtin_cpu_supports("x86-64-v4"))
    return 16;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 8;
#endif
#ifdef TALUS_LANES
  return TALUS_LANES;
#else
  return 1;
#endif
}

PassFunctions vectorised(PassFunctions passes, int lanes) {
  [[maybe_unused]] const int taken = std::min(lanes, most_lanes());
#ifdef TALUS_LANES
#define X(name) passes[static_cast<std::size_t>(Pass::name)] = TALUS_CPU::name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
#ifdef TALUS_TARGETS
#define X(name)                                                                                                        \
  if (taken >= 8)                                                                                                      \
    passes[static_cast<std::size_t>(Pass::name)] = taken >= 16 ? lanes_16::name : lanes_8::name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
  return passes;
}

}  // namespace talus::cpu
