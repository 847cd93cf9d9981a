#pragma once
// The widths of the vectorised CPU path.
#include "engine/cpu/passes.h"
#include "tests/catch.h"
#include <vector>

namespace talus_tests {

// Options::lanes by which the passes differ on this processor: the test runs once with each.
inline int each_lanes() {
  std::vector<int> widths;
  for (const int lanes : {4, 8, 16})
    if (widths.empty() || lanes <= talus::cpu::most_lanes())
      widths.push_back(lanes);
  return GENERATE_COPY(from_range(widths));
}

}  // namespace talus_tests
