#include "engine/cpu/passes.h"
#include "engine/cpu/lanes.h"

namespace talus::cpu {

bool runs_avx512() {
#ifdef TALUS_TARGETS
  return __builtin_cpu_supports("x86-64-v4");
#else
  return false;
#endif
}

PassFunctions vectorised(PassFunctions passes, [[maybe_unused]] bool avx512) {
#ifdef TALUS_LANES
#define X(name) passes[static_cast<std::size_t>(Pass::name)] = name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
#ifdef TALUS_TARGETS
#define X(name)                                                                                                        \
  if (avx512)                                                                                                          \
    passes[static_cast<std::size_t>(Pass::name)] = avx512::name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
  return passes;
}

}  // namespace talus::cpu
