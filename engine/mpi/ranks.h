#pragma once
// A program under mpirun: rank 0 runs it, with simulations whose grains are shared among all ranks; the others serve
// it.
#include "engine/core/ranks.h"
#include <memory>
#include <string_view>

namespace talus::mpi {

// The ranks that mpirun has started; null without it, or where it has started one alone. build: what all ranks must
// have alike, as a version. Throws DeviceError where they do not.
std::shared_ptr<RankGroup> join(int& argc, char**& argv, std::string_view build);

}  // namespace talus::mpi
