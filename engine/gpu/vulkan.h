#pragma once
// Vulkan through volk: its functions are loaded at run time, so that nothing links against a loader and a machine
// without one gets a sentence instead of a failed start. talus_volk_names.h gives volk's pointers other names than
// Vulkan's functions have, so that a program may link both (cmake/VolkNames.cmake); engine/gpu/functions.h loads them.
#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <algorithm>
#include <cstring>
#include <talus_volk_names.h>
#include <vector>
#include <volk.h>

namespace talus::gpu {

// A zeroed Vulkan structure that knows its type.
template <class T> T make(VkStructureType type) {
  T value{};
  value.sType = type;
  return value;
}

// An extension is among those that a driver or a layer lists.
inline bool offers(const std::vector<VkExtensionProperties>& list, const char* name) {
  return std::ranges::any_of(list, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

}  // namespace talus::gpu
