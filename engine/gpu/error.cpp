#include "engine/gpu/error.h"
#include <fmt/format.h>

namespace talus::gpu {

namespace {

const char* result_text(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return "out of host memory";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return "out of device memory";
  case VK_ERROR_INITIALIZATION_FAILED:
    return "initialization failed";
  case VK_ERROR_DEVICE_LOST:
    return "device lost";
  case VK_ERROR_MEMORY_MAP_FAILED:
    return "mapping memory failed";
  case VK_ERROR_LAYER_NOT_PRESENT:
    return "layer not present";
  case VK_ERROR_EXTENSION_NOT_PRESENT:
    return "extension not present";
  case VK_ERROR_FEATURE_NOT_PRESENT:
    return "feature not present";
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return "no driver is compatible";
  case VK_ERROR_TOO_MANY_OBJECTS:
    return "too many objects";
  case VK_ERROR_FORMAT_NOT_SUPPORTED:
    return "format not supported";
  case VK_ERROR_OUT_OF_POOL_MEMORY:
    return "out of pool memory";
  default:
    return nullptr;
  }
}

}  // namespace

void check(VkResult result, std::string_view what) {
  if (result >= 0)
    return;
  const char* text = result_text(result);
  const std::string message = fmt::format(
      "{} failed: {}.", what, text ? text : fmt::format("Vulkan error {}", static_cast<int>(result)).c_str());
  if (result == VK_ERROR_DEVICE_LOST)
    throw DeviceLost(message);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
    throw OutOfMemory(message);
  throw Error(message);
}

std::string byte_text(std::uint64_t bytes) {
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024.0;
  const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; value >= 1024.0 && unit < 3; ++unit)
    value /= 1024.0;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace talus::gpu
