#pragma once
// Who touched which resource last, and what has been waited for since: all that is needed to derive barriers.
#include "engine/gpu/vulkan.h"
#include <array>
#include <cstdint>
#include <string>

namespace talus::gpu {

// A ticket is a submission's number; it is done when the device's timeline has reached it.
using Ticket = std::uint64_t;

// The name of a pass, resolved once so that recording looks no string up. Id 0 is none.
struct Label {
  std::uint32_t id = 0;
};

// Parts of the device's pipeline that can touch memory. Barriers are derived between these.
enum class Stage : std::uint8_t { compute, vertex, fragment, input, indirect, transfer, colour, depth, condition };
inline constexpr std::size_t stage_count = 9;

using StageMask = std::uint16_t;
constexpr StageMask stage_bit(Stage stage) {
  return static_cast<StageMask>(1u << static_cast<unsigned>(stage));
}

// The last accesses of one resource, by serial number of the pass (0: never).
struct Usage {
  std::uint64_t write = 0;
  std::array<std::uint64_t, stage_count> read{};  // since that write
  StageMask readers = 0;                          // stages with an entry in read
  StageMask visible = 0;                          // stages that a layout transition has shown that write to
  Stage write_stage = Stage::compute;
  std::uint32_t writer = 0, reader = 0;  // labels, to say why
};

// What buffers and images have in common.
struct Resource {
  std::string name;
  std::uint64_t id = 0;  // never used twice, unlike Vulkan's handles
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  Usage usage;
};

// One per queue. Barriers are global memory barriers: one between two stages covers every resource, so
// synced[a][b] = s says that b sees all that stage a did in passes up to s.
struct Tracker {
  std::uint64_t serial = 0;  // of the last pass recorded
  std::array<std::array<std::uint64_t, stage_count>, stage_count> synced{};
};

}  // namespace talus::gpu
