#pragma once
// A program under mpirun: rank 0 runs it, with simulations whose grains are shared among all ranks; the others serve
// it.
#include "engine/core/ranks.h"
#include <memory>
#include <string_view>

namespace talus::mpi {

// Joins the ranks that mpirun has started; null without it, or where it has started one alone. Throws DeviceError where
// `build`, such as a version, is not the same on all of them.
std::shared_ptr<RankGroup> join(int& argc, char**& argv, std::string_view build);

}  // namespace talus::mpi
