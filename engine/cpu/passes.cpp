#include "engine/cpu/passes.h"
#include "engine/cpu/lanes.h"

namespace talus::cpu {

PassFunctions fastest(PassFunctions passes) {
#ifdef TALUS_LANES
#define X(name) passes[static_cast<std::size_t>(Pass::name)] = name;
  TALUS_VECTORISED_PASSES(X)
#undef X
#endif
  return passes;
}

}  // namespace talus::cpu
