#include "engine/gpu/functions.h"
#include "engine/gpu/error.h"
#include <mutex>

namespace talus::gpu {

namespace {

std::mutex functions_mutex;
std::size_t function_users = 0;              // instances that are open
PFN_vkVoidFunction function_mark = nullptr;  // a function of the loader that the others come from

// The functions of instance extensions that this project calls. An instance has those that it enables.
void add_missing(VkInstance instance, PFN_vkGetInstanceProcAddr get) {
  const auto add = [&]<class F>(F& function, const char* name) {
    if (!function)
      function = reinterpret_cast<F>(get(instance, name));
  };
  add(vkCreateDebugUtilsMessengerEXT, "vkCreateDebugUtilsMessengerEXT");
  add(vkDestroyDebugUtilsMessengerEXT, "vkDestroyDebugUtilsMessengerEXT");
  add(vkSetDebugUtilsObjectNameEXT, "vkSetDebugUtilsObjectNameEXT");
  add(vkCmdBeginDebugUtilsLabelEXT, "vkCmdBeginDebugUtilsLabelEXT");
  add(vkCmdEndDebugUtilsLabelEXT, "vkCmdEndDebugUtilsLabelEXT");
  add(vkDestroySurfaceKHR, "vkDestroySurfaceKHR");
  add(vkGetPhysicalDeviceSurfaceSupportKHR, "vkGetPhysicalDeviceSurfaceSupportKHR");
  add(vkGetPhysicalDeviceSurfaceCapabilitiesKHR, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  add(vkGetPhysicalDeviceSurfaceFormatsKHR, "vkGetPhysicalDeviceSurfaceFormatsKHR");
  add(vkGetPhysicalDeviceSurfacePresentModesKHR, "vkGetPhysicalDeviceSurfacePresentModesKHR");
}

}  // namespace

void take_functions(VkInstance instance, PFN_vkGetInstanceProcAddr get) {
  const std::scoped_lock lock(functions_mutex);
  const PFN_vkVoidFunction mark = get(instance, "vkDestroyDevice");
  if (!mark)
    throw Error("The given vkGetInstanceProcAddr does not know vkDestroyDevice: it is none of the given instance.");
  if (function_users == 0) {
    volkInitializeCustom(get);
    volkLoadInstance(instance);
    function_mark = mark;
  } else if (mark == function_mark) {
    add_missing(instance, get);
  } else {
    throw Error("Talus already runs on a device of another Vulkan loader in this process, and its functions can come "
                "from one only: close what runs there first, or give both the same vkGetInstanceProcAddr.");
  }
  ++function_users;
}

void leave_functions() {
  const std::scoped_lock lock(functions_mutex);
  --function_users;
}

}  // namespace talus::gpu
