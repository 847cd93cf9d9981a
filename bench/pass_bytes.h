#pragma once
// What a pass moves, from what its shader says it reads and writes: the same as `talus graph` shows.
#include "engine/talus.h"
#include <string_view>

namespace bench {

// Bytes of one run: each element in use of each field that the pass binds, once, and twice where it both reads and
// writes. The least that it moves where it goes through all of them; what it reads again, caches should have. 0 for
// passes of the CPU alone, which have no shader, and for those that go where grains have moved.
double bytes_of_pass(talus::Simulation& simulation, std::string_view pass);

// Whether it runs only in substeps that rebuild the contact lists, or mend them.
bool of_rebuild(std::string_view pass);
bool of_incremental(std::string_view pass);

}  // namespace bench
