#pragma once
// The laws on many contacts: in plain C++, and with lanes of each width.
#include "engine/cpu/passes.h"
#include "engine/reference/laws.h"

namespace talus::reference {
#include "run_laws.h"
}

namespace talus_tests {

using talus::reference::Outcome;
using talus::reference::Run;
using talus::reference::State;

inline constexpr unsigned lanes_most = 16;

// count: a multiple of lanes_most. Of up to talus::cpu::most_lanes() lanes, which the processor can run.
void run_lanes_4(const State* states, Outcome* outcomes, unsigned count, const Run& run);
void run_lanes_8(const State* states, Outcome* outcomes, unsigned count, const Run& run);
void run_lanes_16(const State* states, Outcome* outcomes, unsigned count, const Run& run);

}  // namespace talus_tests
