#pragma once
// What several reference passes schedule by: sizes of dispatches, prefix sums, and which sink takes what.
#include "engine/reference/space.h"
#include "shaders/shared/scan.h"
#include <numeric>

namespace talus::reference {

inline Dispatch groups(uint count) {
  return {std::min(count, dispatch_row), (count + dispatch_row - 1) / dispatch_row, 1};
}
inline uint groups_for(uint threads) {
  return (threads + group_size - 1) / group_size;
}

// Prefix sum in the two halves that the device uses; elements are chunks of the data.
inline void reduce(const Column<uint>& data, uint length, Column<uint>& sums, uint begin, uint end) {
  TALUS_ASSERT(length <= data.size() && scan_chunks_of(length) <= sums.size(), length, data.size(), sums.size());
  const uint size = scan_size(length);
  for (uint chunk = begin; chunk < end && chunk * size < length; ++chunk) {
    const auto first = data.begin() + chunk * size;
    sums[chunk] = std::accumulate(first, data.begin() + std::min((chunk + 1) * size, length), 0u);
  }
}

inline void scan(const Column<uint>& data, uint length, const Column<uint>& sums, Column<uint>& start, uint begin,
                 uint end) {
  TALUS_ASSERT(length <= data.size() && length < start.size(), length, data.size(), start.size());
  TALUS_ASSERT(scan_chunks_of(length) <= sums.size(), length, sums.size());
  const uint size = scan_size(length);
  for (uint chunk = begin; chunk < end && chunk * size < std::max(length, 1u); ++chunk) {
    uint before = std::accumulate(sums.begin(), sums.begin() + chunk, 0u);
    const uint last = std::min((chunk + 1) * size, length);
    for (uint i = chunk * size; i < last; ++i) {
      start[i] = before;
      TALUS_ASSERT(before + data[i] >= before, i, before, data[i]);
      before += data[i];
    }
    if (last == length)
      start[length] = before;
  }
}

// The first sink that takes a grain of this material at p; as many as there are: none.
inline uint sink_of(const Fields& f, vec3 p, uint material) {
  const auto takes = [&](const Sink& sink) {
    const vec3 offset = shortest(p - sink.position, f.settings[0]);
    return (sink.material == any_material || sink.material == material) &&
           from_parts(f, sink.first_part, sink.parts, rotated_back(sink.rotation, offset)).value < 0.0f;
  };
  return static_cast<uint>(std::ranges::find_if(f.sinks, takes) - f.sinks.begin());
}

}  // namespace talus::reference
