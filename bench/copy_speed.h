#pragma once
// How fast memory can be copied: what the speed of passes is held against.
#include "engine/talus.h"

namespace bench {

struct CopySpeed {
  double bytes_per_s = 0.0;  // read and written, the best of some times
  std::size_t bytes = 0;     // that were copied: more than caches hold, less where a buffer cannot be so large
};

// memory_bytes: of the device, or free in the machine, of which a quarter is used at most. quick: fewer bytes.
CopySpeed copy_speed(const talus::Options& options, std::uint64_t memory_bytes, bool quick);

}  // namespace bench
