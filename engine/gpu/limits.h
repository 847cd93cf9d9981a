#pragma once
// The limits of a device as Talus sees them: those of its driver, or lower ones that stand for another device in tests.
#include "engine/gpu/vulkan.h"
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace talus::gpu {

struct Limits {
  VkPhysicalDeviceLimits core{};
  std::uint64_t buffer_bytes = 0;      // of one buffer: maxBufferSize of VK_KHR_maintenance4
  std::uint64_t allocation_bytes = 0;  // of one allocation of memory: maxMemoryAllocationSize of VK_KHR_maintenance3
  std::uint32_t subgroup_size = 0;     // invocations
  // A SIMD has few registers for its subgroups: 256 of 64 invocations, of which 4 subgroups have 64 each (AMD's GCN).
  bool few_registers = false;
  bool conditional_rendering = false;  // VK_EXT_conditional_rendering
  bool timestamps = false;             // of the queue family that Talus takes
};

// The limits that the driver reports, without the last two members. The device knows Vulkan 1.3.
Limits limits_of(VkPhysicalDevice device);

// The limits of another device, which tests lay over those of the device at hand. The table and the source of each
// number are in docs/limits.md.
struct TestLimits {
  std::string_view name;  // as the environment variable TALUS_TEST_LIMITS gives it
  std::uint64_t storage_buffer_range = 0, buffer_bytes = 0, allocation_bytes = 0;
  std::uint32_t allocations = 0;
  std::uint32_t push_bytes = 0;
  std::uint32_t group_size = 0;                 // invocations
  std::array<std::uint32_t, 3> group_extent{};  // invocations along each axis
  std::uint32_t group_count = 0;                // of a dispatch along each axis
  std::uint32_t shared_bytes = 0;               // of a workgroup
  std::uint32_t stage_storage_buffers = 0;      // per stage
  std::uint32_t stage_samplers = 0;             // per stage, each with its image
  std::uint32_t stage_resources = 0;            // per stage
  std::uint32_t set_storage_buffers = 0;        // per descriptor set
  std::uint32_t storage_offset_alignment = 0;   // bytes
  std::uint32_t non_coherent_atom = 0;          // bytes
  std::uint32_t image_extent = 0;               // pixels, of images, framebuffers and viewports
  std::uint32_t subgroup_size = 0;
  bool few_registers = false;
  bool conditional_rendering = false, timestamps = false;
  // Opening the device fails, and it passes for a discrete GPU: what --device auto does then.
  bool opens = true;
};

std::span<const TestLimits> test_limits();
// The limits that TALUS_TEST_LIMITS names; null where it is not set. Throws Error for a name that is not in the table.
const TestLimits* wanted_test_limits();

// The lesser of both, for alignments the greater.
Limits lesser(Limits limits, const TestLimits& test);

}  // namespace talus::gpu
