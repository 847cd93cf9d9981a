#include "engine/gpu/device_list.h"
#include "engine/gpu/features.h"
#include "engine/gpu/shader.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace talus::gpu {

namespace {

constexpr std::uint32_t needed_group_size = 256;  // threads

struct Kind {
  int rank;
  const char* text;
  bool gpu;
};
Kind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return {0, "discrete GPU", true};
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return {1, "integrated GPU", true};
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return {2, "virtual GPU", true};
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return {3, "CPU", false};
  default:
    return {4, "other", false};
  }
}

std::string version_text(std::uint32_t v) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v), VK_API_VERSION_PATCH(v));
}

}  // namespace

std::optional<QueueFamily> find_family(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  std::optional<QueueFamily> found;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& f = families[i];
    if (!f.queueCount || !(f.queueFlags & VK_QUEUE_COMPUTE_BIT))
      continue;
    const bool graphics = f.queueFlags & VK_QUEUE_GRAPHICS_BIT;
    if (!found || (graphics && !found->graphics))
      found = QueueFamily{i, graphics, f.timestampValidBits};
  }
  return found;
}

std::vector<VkExtensionProperties> extensions_of(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "Listing the device's extensions");
  std::vector<VkExtensionProperties> list(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data()), "Listing the device's extensions");
  return list;
}

VkPhysicalDeviceProperties properties_of(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties p{};
  vkGetPhysicalDeviceProperties(device, &p);
  return p;
}

namespace {

DeviceInfo describe(VkPhysicalDevice handle, const TestLimits* test) {
  DeviceInfo info;
  info.handle = handle;
  VkPhysicalDeviceProperties basic{};
  vkGetPhysicalDeviceProperties(handle, &basic);
  const Kind kind = kind_of(basic.deviceType);
  info.name = basic.deviceName;
  info.api_version = version_text(basic.apiVersion);
  info.type = kind.text;
  info.gpu = kind.gpu;

  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(handle, &memory);
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.memory_bytes += memory.memoryHeaps[i].size;
  }

  const auto family = find_family(handle);
  info.graphics = family && family->graphics;
  info.queue_family = family ? family->index : 0;
  if (!family)
    info.missing.push_back("It has no queue that computes.");
  if (info.memory_bytes == 0)  // Mesa's null hardware, which compiles for a GPU that is not there
    info.missing.push_back("It has no memory.");

  if (basic.apiVersion < VK_API_VERSION_1_3) {
    // Older devices do not know the structures asked with below.
    info.driver = fmt::format("version {:#x}", basic.driverVersion);
    info.missing.push_back(fmt::format("Its driver offers Vulkan {}, and 1.3 is needed.", info.api_version));
    return info;
  }

  auto driver = make<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto properties = make<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &driver;
  vkGetPhysicalDeviceProperties2(handle, &properties);
  info.driver = driver.driverName;
  if (driver.driverInfo[0])
    info.driver += fmt::format(" ({})", driver.driverInfo);

  info.limits = limits_of(handle);
  info.limits.conditional_rendering = offers(extensions_of(handle), VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  info.limits.timestamps = family && family->timestamp_bits > 0 && basic.limits.timestampPeriod > 0.0f;
  if (test) {
    info.limits = lesser(info.limits, *test);
    info.driver += fmt::format(", with the limits \"{}\" of TALUS_TEST_LIMITS", test->name);
    if (!test->opens) {
      info.opens = false;
      info.type = kind_of(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU).text;
      info.gpu = true;
    }
  }
  info.max_storage_buffer_range = info.limits.core.maxStorageBufferRange;
  info.max_group_size = info.limits.core.maxComputeWorkGroupInvocations;
  info.subgroup_size = info.limits.subgroup_size;
  info.timestamps = info.limits.timestamps;

  Features features;
  vkGetPhysicalDeviceFeatures2(handle, &features.all);
  for (const Wanted& w : wanted_features) {
    if (!feature(features, w))
      info.missing.push_back(fmt::format("It lacks {}.", w.text));
  }
  if (info.limits.core.maxPerStageDescriptorStorageBuffers < buffers_most) {
    info.missing.push_back(fmt::format("A shader can bind {} storage buffers on it, and {} are needed.",
                                       info.limits.core.maxPerStageDescriptorStorageBuffers, buffers_most));
  }
  if (info.max_group_size < needed_group_size) {
    info.missing.push_back(
        fmt::format("Its groups hold {} threads, and {} are needed.", info.max_group_size, needed_group_size));
  }
  info.usable = info.missing.empty();
  return info;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string line_of(const DeviceInfo& d) {
  return fmt::format("  {}: {} ({}, {}, Vulkan {}){}", d.index, d.name, d.type, d.driver, d.api_version,
                     d.usable ? std::string() : fmt::format(": not usable. {}", fmt::join(d.missing, " ")));
}

}  // namespace

NoDevice unusable(const DeviceInfo& d) {
  return NoDevice(fmt::format("Device {} ({}) cannot run Talus. {}", d.index, d.name, fmt::join(d.missing, " ")));
}

std::vector<DeviceInfo> list_devices(Instance& instance) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance.handle(), &count, nullptr), "Listing the Vulkan devices");
  std::vector<VkPhysicalDevice> handles(count);
  check(vkEnumeratePhysicalDevices(instance.handle(), &count, handles.data()), "Listing the Vulkan devices");
  handles.resize(count);
  std::ranges::stable_sort(handles, {}, [](VkPhysicalDevice d) { return kind_of(properties_of(d).deviceType).rank; });
  const TestLimits* test = wanted_test_limits();
  std::vector<DeviceInfo> list;
  for (VkPhysicalDevice handle : handles) {
    list.push_back(describe(handle, test));
    list.back().index = static_cast<std::uint32_t>(list.size() - 1);
  }
  return list;
}

std::string device_list_text(const std::vector<DeviceInfo>& devices) {
  if (devices.empty())
    return "  no Vulkan device at all";
  std::vector<std::string> lines;
  for (const DeviceInfo& d : devices)
    lines.push_back(line_of(d));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

const DeviceInfo& choose(const std::vector<DeviceInfo>& devices, std::string_view wanted) {
  const auto fail = [&](std::string_view sentence) -> const DeviceInfo& {
    throw NoDevice(fmt::format("{} There is:\n{}", sentence, device_list_text(devices)));
  };
  const auto usable = [](const DeviceInfo& d) -> const DeviceInfo& {
    if (!d.usable)
      throw unusable(d);
    return d;
  };
  if (wanted == "auto") {
    const auto found = std::ranges::find_if(devices, &DeviceInfo::usable);
    return found != devices.end() ? *found : fail("No Vulkan device of this machine can run Talus.");
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc() && end == wanted.data() + wanted.size()) {
    return index < devices.size() ? usable(devices[index]) : fail(fmt::format("There is no device {}.", index));
  }
  const DeviceInfo* named = nullptr;
  for (const DeviceInfo& d : devices) {
    if (wanted.empty() || lower(d.name).find(lower(wanted)) == std::string::npos)
      continue;
    if (d.usable)
      return d;
    if (!named)
      named = &d;
  }
  return named ? usable(*named) : fail(fmt::format("No device's name contains \"{}\".", wanted));
}

}  // namespace talus::gpu
