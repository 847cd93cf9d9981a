#pragma once
// A contact of velocity time stepping and of sequential positions.
#include "engine/reference/space.h"

namespace talus::reference {

enum class ImpulseMethod { vts, sp };

// What grain i's contact in `slot` starts a substep with: the impulse on the grain [N s]. load: one more where the two
// are near.
vec3 restore_contact(const Args& args, Fields& f, uint i, std::size_t slot, uint& load);

// One iteration of grain i's contact in `slot`: the impulse on the grain, beyond what was there [N s].
vec3 iterate_contact(const Args& args, Fields& f, uint i, std::size_t slot, ImpulseMethod method);

}  // namespace talus::reference
