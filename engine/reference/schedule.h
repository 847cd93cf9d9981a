#pragma once
// What several reference passes schedule by: sizes of dispatches, and which sink takes what.
#include "engine/reference/space.h"
#include "shaders/shared/scan.h"

namespace talus::reference {

inline Dispatch groups(uint count) {
  return {std::min(count, dispatch_row), (count + dispatch_row - 1) / dispatch_row, 1};
}
inline uint groups_for(uint threads) {
  return (threads + group_size - 1) / group_size;
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
