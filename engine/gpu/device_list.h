#pragma once
// The Vulkan devices of this machine, and the choice of one of them.
#include "engine/gpu/instance.h"
#include "engine/gpu/limits.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::gpu {

struct DeviceInfo {
  std::uint32_t index = 0;  // in the list, which is ordered: discrete, integrated, virtual, CPU, other
  std::string name;
  std::string driver;       // name and, where the driver gives it, its own version text
  std::string api_version;  // "1.3.230"
  std::string type;         // "discrete GPU", "integrated GPU", "virtual GPU", "CPU", "other"
  bool gpu = false;         // discrete, integrated or virtual
  bool usable = false;
  std::vector<std::string> missing;            // why it is not usable, a sentence each
  std::uint64_t memory_bytes = 0;              // device-local
  std::uint32_t subgroup_size = 0;             // threads
  std::uint64_t max_storage_buffer_range = 0;  // bytes a shader can reach in one buffer
  std::uint32_t max_group_size = 0;            // threads
  bool timestamps = false;
  Limits limits;                   // as tests may have lowered them
  bool opens = true;               // false in tests of a device that fails to open
  bool graphics = false;           // it can draw
  std::uint32_t queue_family = 0;  // of the one queue in use
  VkPhysicalDevice handle = VK_NULL_HANDLE;
};

// All devices of this machine, unusable ones too. The order is stable from call to call. The environment variable
// TALUS_TEST_LIMITS gives them the limits of others (limits.h).
std::vector<DeviceInfo> list_devices(Instance& instance);

// The device that wanted names: "auto" (the first usable one), an index of the list, or part of a name in any case.
// Throws NoDevice, which lists what is there and what each device lacks.
const DeviceInfo& choose(const std::vector<DeviceInfo>& devices, std::string_view wanted);

// One line per device, as NoDevice shows it.
std::string device_list_text(const std::vector<DeviceInfo>& devices);

// The application's device as list_devices() shows it, with the queue's family. Throws Error, whose sentence names
// everything that is wrong with what is given, or missing in the device.
DeviceInfo adopted_info(Instance& instance, const Adoption& application);

// For the rest of this folder.
struct QueueFamily {
  std::uint32_t index;
  bool graphics;
  std::uint32_t timestamp_bits;
};
// A family that draws and computes where there is one, else one that computes.
std::optional<QueueFamily> find_family(VkPhysicalDevice device);
std::vector<VkExtensionProperties> extensions_of(VkPhysicalDevice device);
VkPhysicalDeviceProperties properties_of(VkPhysicalDevice device);
NoDevice unusable(const DeviceInfo& d);  // the error of opening a device that is not usable

}  // namespace talus::gpu
