#pragma once
// A device of an application that Talus is to run on. This header includes Vulkan's types alone, so that it goes with
// any way in which the application calls Vulkan: prototypes and a loader that is linked, volk, or a table of its own.
#include <cstdint>
#include <functional>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace talus::gpu {

// The device of an application, which keeps all handles, and destroys them after all that Talus made.
struct Adoption {
  // The function of the loader that the handles come from. Talus calls Vulkan through it alone.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  std::uint32_t api_version = 0;  // VkApplicationInfo::apiVersion of the instance
  bool debug_utils = false;       // the instance has VK_EXT_debug_utils: Talus names its objects and passes
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  // The structure that the device was made from, since Vulkan does not tell which features and extensions a device has.
  // Read while the device is adopted, and not kept.
  const VkDeviceCreateInfo* created_with = nullptr;
  // The queue that Talus submits to: the application's own, or another one of the device. Its family computes; that of
  // talus::Renderer draws, too.
  std::uint32_t queue_family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  // Vulkan wants a queue to be used by one thread at a time. Called around each vkQueueSubmit2, which is all that Talus
  // does with the queue; the application calls the same around what it does. Both empty: the application promises that
  // no other thread uses the queue while it is in a function of Talus. Neither may throw.
  std::function<void()> lock, unlock;
  // Families of other queues on which the application reads Talus' buffers. Buffers are then shared by all of them
  // (VK_SHARING_MODE_CONCURRENT), and no ownership has to be transferred.
  std::vector<std::uint32_t> other_families;
  bool export_memory = false;  // buffers can be exported: the device has VK_KHR_external_memory_fd
  bool pipeline_cache = true;  // keep compiled pipelines on disk, as for devices of Talus' own
};

// A member of one of Vulkan's structures of features.
struct NeededFeature {
  const char* name;       // "timelineSemaphore"
  const char* structure;  // that has it, "VkPhysicalDeviceVulkan12Features"
  bool drawing;           // only talus::Renderer needs it
};

// The requirements on a device.
struct DeviceNeeds {
  std::uint32_t api_version;                     // at least, of the instance and of the device
  std::vector<NeededFeature> features;           // each in its structure, or in one of its own
  std::vector<const char*> extensions;           // that must be enabled
  std::vector<const char*> optional_extensions;  // that are used where they are enabled, with their features
};
DeviceNeeds device_needs();
// Switches these features on and leaves the others as they are.
void enable_needs(VkPhysicalDeviceVulkan12Features& features_12, VkPhysicalDeviceVulkan13Features& features_13);

// Throws Error where a handle is missing, or the instance is of an earlier version.
void check_handles(const Adoption& application);

// A value of the counter of a timeline semaphore.
struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

}  // namespace talus::gpu
