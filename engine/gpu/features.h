#pragma once
// The features that Talus asks for.
#include "engine/gpu/vulkan.h"

namespace talus::gpu {

// In one chain. maintenance4 and the two of shaders are part of every Vulkan 1.3 device; SPIR-V 1.6 uses them
// (LocalSizeId, discard).
struct Features {
  VkPhysicalDeviceVulkan12Features v12 =
      make<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkPhysicalDeviceVulkan13Features v13 =
      make<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  VkPhysicalDeviceFeatures2 all = make<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);

  Features() {
    all.pNext = &v12;
    v12.pNext = &v13;
  }
  Features(const Features&) = delete;
};

struct Wanted {
  const char* text;
  const char* name;                                 // of the member
  VkBool32 VkPhysicalDeviceVulkan12Features::*v12;  // the member, in one of the two
  VkBool32 VkPhysicalDeviceVulkan13Features::*v13;
  VkStructureType alone;  // of the structure that has this member alone
  bool drawing = false;   // only what draws needs it
};
inline constexpr Wanted wanted_features[] = {
    {"timeline semaphores", "timelineSemaphore", &VkPhysicalDeviceVulkan12Features::timelineSemaphore, nullptr,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES},
    {"scalar block layout", "scalarBlockLayout", &VkPhysicalDeviceVulkan12Features::scalarBlockLayout, nullptr,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES},
    {"synchronization2", "synchronization2", nullptr, &VkPhysicalDeviceVulkan13Features::synchronization2,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES},
    {"maintenance4", "maintenance4", nullptr, &VkPhysicalDeviceVulkan13Features::maintenance4,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES},
    {"dynamic rendering", "dynamicRendering", nullptr, &VkPhysicalDeviceVulkan13Features::dynamicRendering,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, true},
    {"shader terminate invocation", "shaderTerminateInvocation", nullptr,
     &VkPhysicalDeviceVulkan13Features::shaderTerminateInvocation,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES, true},
    {"shader demote to helper", "shaderDemoteToHelperInvocation", nullptr,
     &VkPhysicalDeviceVulkan13Features::shaderDemoteToHelperInvocation,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, true},
};
inline VkBool32& feature(Features& features, const Wanted& w) {
  return w.v12 ? features.v12.*w.v12 : features.v13.*w.v13;
}

}  // namespace talus::gpu
