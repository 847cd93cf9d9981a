#include "engine/cpu/passes.h"
#include "engine/cpu/lanes.h"

namespace talus::cpu {

PassFunctions fastest(PassFunctions passes) {
#ifdef TALUS_LANES
#define X(name) passes[static_cast<std::size_t>(Pass::name)] = name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
#ifdef TALUS_TARGETS
  if (__builtin_cpu_supports("x86-64-v4")) {
#define X(name) passes[static_cast<std::size_t>(Pass::name)] = wide::name;
    TALUS_VECTORISED_PASSES(X)
#undef X
  }
#endif
  return passes;
}

}  // namespace talus::cpu
