#include "engine/cpu/passes.h"
#include "engine/cpu/lanes.h"

namespace talus::cpu {

PassFunctions fastest(PassFunctions passes) {
#ifdef TALUS_LANES
  const auto replace = [&](Pass pass, PassFunction function) { passes[static_cast<std::size_t>(pass)] = function; };
  replace(Pass::contact_count, contact_count);
  replace(Pass::contact_fill, contact_fill);
  replace(Pass::dem, dem);
#endif
  return passes;
}

}  // namespace talus::cpu
