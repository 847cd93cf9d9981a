#pragma once
#include "engine/gpu/vulkan.h"

namespace talus::gpu {

// Vulkan's functions are pointers that all instances and devices of the process share. They are those of the loader,
// which finds the driver by the handle that it is given, so that they serve any number of instances and devices of the
// same loader; volkLoadDevice(), which binds them to one device, is never called. The first instance loads them. Later
// ones add only the functions of extensions that were missing, since other threads may be calling the rest.

// Throws Error where an instance of another loader uses the functions: the pointers cannot be those of two.
void take_functions(VkInstance instance, PFN_vkGetInstanceProcAddr get);
// Once for each take_functions() that returned.
void leave_functions();

}  // namespace talus::gpu
