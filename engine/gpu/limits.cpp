#include "engine/gpu/limits.h"
#include "engine/gpu/error.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace talus::gpu {

namespace {

constexpr std::uint32_t vendor_amd = 0x1002;  // VkPhysicalDeviceProperties::vendorID, a number of PCI
constexpr std::uint32_t gcn_subgroup = 64;    // invocations; RDNA has subgroups of 32, too

constexpr std::uint64_t limits_mib = 1ull << 20, limits_gib = 1ull << 30;

// docs/limits.md has the sources.
constexpr TestLimits profiles[] = {
    {.name = "intel",
     .storage_buffer_range = limits_gib - 4,
     .buffer_bytes = 4 * limits_gib,
     .allocation_bytes = 4294901760,
     .allocations = 8371042,
     .push_bytes = 256,
     .group_size = 1024,
     .group_extent = {1024, 1024, 64},
     .group_count = 65535,
     .shared_bytes = 32768,
     .stage_storage_buffers = 200,
     .stage_samplers = 64,
     .stage_resources = 200,
     .set_storage_buffers = 1800,
     .storage_offset_alignment = 64,
     .non_coherent_atom = 1,
     .image_extent = 16384,
     .subgroup_size = 8,
     .conditional_rendering = true,
     .timestamps = true},
    {.name = "mali",
     .storage_buffer_range = 128 * limits_mib,
     .buffer_bytes = limits_gib,
     .allocation_bytes = limits_gib,
     .allocations = 4096,
     .push_bytes = 128,
     .group_size = 256,
     .group_extent = {256, 256, 64},
     .group_count = 65535,
     .shared_bytes = 16384,
     .stage_storage_buffers = 35,
     .stage_samplers = 16,
     .stage_resources = 224,
     .set_storage_buffers = 210,
     .storage_offset_alignment = 256,
     .non_coherent_atom = 64,
     .image_extent = 8192,
     .subgroup_size = 16},
    {.name = "adreno",
     .storage_buffer_range = 128 * limits_mib,
     .buffer_bytes = 4 * limits_gib,
     .allocation_bytes = 4 * limits_gib - 1,
     .allocations = 4096,
     .push_bytes = 128,
     .group_size = 1024,
     .group_extent = {1024, 1024, 64},
     .group_count = 65535,
     .shared_bytes = 32768,
     .stage_storage_buffers = 24,
     .stage_samplers = 16,
     .stage_resources = 72,
     .set_storage_buffers = 24,
     .storage_offset_alignment = 64,
     .non_coherent_atom = 64,
     .image_extent = 16384,
     .subgroup_size = 64,
     .timestamps = true},
    {.name = "moltenvk",
     .storage_buffer_range = 2 * limits_gib,
     .buffer_bytes = 2 * limits_gib,
     .allocation_bytes = 2 * limits_gib,
     .allocations = 1u << 30,
     .push_bytes = 4096,
     .group_size = 1024,
     .group_extent = {1024, 1024, 1024},
     .group_count = 1u << 30,
     .shared_bytes = 32768,
     .stage_storage_buffers = 31,
     .stage_samplers = 16,
     .stage_resources = 159,
     .set_storage_buffers = 155,
     .storage_offset_alignment = 16,
     .non_coherent_atom = 256,
     .image_extent = 16384,
     .subgroup_size = 4,
     .timestamps = true},
    {.name = "least",
     .storage_buffer_range = 128 * limits_mib,
     .buffer_bytes = limits_gib,
     .allocation_bytes = limits_gib,
     .allocations = 4096,
     .push_bytes = 128,
     .group_size = 256,
     .group_extent = {256, 256, 64},
     .group_count = 65535,
     .shared_bytes = 16384,
     .stage_storage_buffers = 15,
     .stage_samplers = 16,
     .stage_resources = 44,
     .set_storage_buffers = 24,
     .storage_offset_alignment = 256,
     .non_coherent_atom = 256,
     .image_extent = 4096,
     .subgroup_size = 4,
     .few_registers = true},
};

constexpr auto all_test_limits = [] {
  constexpr std::size_t count = std::size(profiles);
  std::array<TestLimits, count + 1> all;
  std::ranges::copy(profiles, all.begin());
  TestLimits& unopened = all[count];
  unopened = profiles[count - 1];
  unopened.name = "unopened";
  unopened.opens = false;
  return all;
}();

}  // namespace

Limits limits_of(VkPhysicalDevice device) {
  auto buffers =
      make<VkPhysicalDeviceMaintenance4Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  auto allocations =
      make<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  allocations.pNext = &buffers;
  auto subgroups = make<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  subgroups.pNext = &allocations;
  auto subgroup_sizes = make<VkPhysicalDeviceSubgroupSizeControlProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  subgroup_sizes.pNext = &subgroups;
  auto properties = make<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &subgroup_sizes;
  vkGetPhysicalDeviceProperties2(device, &properties);
  Limits limits;
  limits.core = properties.properties.limits;
  limits.buffer_bytes = buffers.maxBufferSize;
  limits.allocation_bytes = allocations.maxMemoryAllocationSize;
  limits.subgroup_size = subgroups.subgroupSize;
  limits.few_registers = properties.properties.vendorID == vendor_amd && subgroup_sizes.minSubgroupSize == gcn_subgroup;
  return limits;
}

std::span<const TestLimits> test_limits() {
  return all_test_limits;
}

const TestLimits* wanted_test_limits() {
  const char* wanted = std::getenv("TALUS_TEST_LIMITS");
  if (!wanted || !*wanted)
    return nullptr;
  const auto found = std::ranges::find(all_test_limits, std::string_view(wanted), &TestLimits::name);
  if (found == all_test_limits.end()) {
    std::vector<std::string_view> names;
    for (const TestLimits& t : all_test_limits)
      names.push_back(t.name);
    throw Error(fmt::format("TALUS_TEST_LIMITS is \"{}\", and there are {}.", wanted, fmt::join(names, ", ")));
  }
  return &*found;
}

Limits lesser(Limits limits, const TestLimits& test) {
  const auto lower = [](auto& limit, auto most) {
    limit = std::min<std::remove_reference_t<decltype(limit)>>(limit, most);
  };
  const auto raise = [](VkDeviceSize& limit, VkDeviceSize least) { limit = std::max(limit, least); };
  VkPhysicalDeviceLimits& core = limits.core;
  core.maxStorageBufferRange =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(core.maxStorageBufferRange, test.storage_buffer_range));
  lower(limits.buffer_bytes, test.buffer_bytes);
  lower(limits.allocation_bytes, test.allocation_bytes);
  lower(core.maxMemoryAllocationCount, test.allocations);
  lower(core.maxPushConstantsSize, test.push_bytes);
  lower(core.maxComputeWorkGroupInvocations, test.group_size);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower(core.maxComputeWorkGroupSize[axis], test.group_extent[axis]);
    lower(core.maxComputeWorkGroupCount[axis], test.group_count);
  }
  lower(core.maxComputeSharedMemorySize, test.shared_bytes);
  lower(core.maxPerStageDescriptorStorageBuffers, test.stage_storage_buffers);
  lower(core.maxPerStageDescriptorSamplers, test.stage_samplers);
  lower(core.maxPerStageDescriptorSampledImages, test.stage_samplers);
  lower(core.maxPerStageResources, test.stage_resources);
  lower(core.maxDescriptorSetStorageBuffers, test.set_storage_buffers);
  raise(core.minStorageBufferOffsetAlignment, test.storage_offset_alignment);
  raise(core.nonCoherentAtomSize, test.non_coherent_atom);
  for (std::uint32_t* extent : {&core.maxImageDimension2D, &core.maxFramebufferWidth, &core.maxFramebufferHeight,
                                &core.maxViewportDimensions[0], &core.maxViewportDimensions[1]})
    lower(*extent, test.image_extent);
  limits.subgroup_size = test.subgroup_size;
  limits.few_registers = limits.few_registers || test.few_registers;
  limits.conditional_rendering = limits.conditional_rendering && test.conditional_rendering;
  limits.timestamps = limits.timestamps && test.timestamps;
  return limits;
}

}  // namespace talus::gpu
