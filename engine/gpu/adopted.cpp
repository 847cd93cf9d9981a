// Device and instance of an application: what they must be, and what is different on them.
#include "engine/gpu/adoption.h"
#include "engine/gpu/device.h"
#include "engine/gpu/features.h"
#include "engine/gpu/shader.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace talus::gpu {

namespace {

bool enabled(const VkDeviceCreateInfo& created, const char* extension) {
  return std::any_of(created.ppEnabledExtensionNames, created.ppEnabledExtensionNames + created.enabledExtensionCount,
                     [&](const char* name) { return std::strcmp(name, extension) == 0; });
}

template <class T> const T* find_structure(const VkDeviceCreateInfo& created, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(created.pNext); s; s = s->pNext) {
    if (s->sType == type)
      return reinterpret_cast<const T*>(s);
  }
  return nullptr;
}

// All structures with a single feature look like this.
struct LoneFeature {
  VkStructureType type;
  void* next;
  VkBool32 value;
};

bool enabled(const VkDeviceCreateInfo& created, const Wanted& w) {
  const auto* v12 =
      find_structure<VkPhysicalDeviceVulkan12Features>(created, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  const auto* v13 =
      find_structure<VkPhysicalDeviceVulkan13Features>(created, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  const auto* alone = find_structure<LoneFeature>(created, w.alone);
  return (alone && alone->value) || (w.v12 && v12 && v12->*w.v12) || (w.v13 && v13 && v13->*w.v13);
}

const char* structure_of(const Wanted& w) {
  return w.v12 ? "VkPhysicalDeviceVulkan12Features" : "VkPhysicalDeviceVulkan13Features";
}

std::vector<VkQueueFamilyProperties> queue_families(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

// The number of queues that the device was made with, of a family.
std::uint32_t queues_made(const VkDeviceCreateInfo& created, std::uint32_t family) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < created.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& queues = created.pQueueCreateInfos[i];
    if (queues.queueFamilyIndex == family && queues.flags == 0)
      count += queues.queueCount;
  }
  return count;
}

bool is_queue_of(const Adoption& application, std::uint32_t queues) {
  for (std::uint32_t i = 0; i < queues; ++i) {
    VkQueue queue = VK_NULL_HANDLE;
    vkGetDeviceQueue(application.device, application.queue_family, i, &queue);
    if (queue == application.queue)
      return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::vector<std::string>& why) {
  throw Error(fmt::format("Talus cannot run on the application's device. {}", fmt::join(why, " ")));
}

}  // namespace

DeviceNeeds device_needs() {
  DeviceNeeds needs{VK_API_VERSION_1_3,
                    {},
                    {},
                    {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                     VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME}};
  for (const Wanted& w : wanted_features)
    needs.features.push_back({w.name, structure_of(w), w.drawing});
  return needs;
}

void enable_needs(VkPhysicalDeviceVulkan12Features& features_12, VkPhysicalDeviceVulkan13Features& features_13) {
  for (const Wanted& w : wanted_features)
    (w.v12 ? features_12.*w.v12 : features_13.*w.v13) = VK_TRUE;
}

void check_handles(const Adoption& application) {
  std::vector<std::string> why;
  const auto need = [&](bool there, const char* name) {
    if (!there)
      why.push_back(fmt::format("{} is not given.", name));
  };
  need(application.get_instance_proc_addr, "get_instance_proc_addr");
  need(application.instance, "instance");
  need(application.physical_device, "physical_device");
  need(application.device, "device");
  need(application.created_with, "created_with, the VkDeviceCreateInfo of the device,");
  need(application.queue, "queue");
  if (application.api_version < VK_API_VERSION_1_3) {
    why.push_back(fmt::format("api_version, that of the instance (VkApplicationInfo), is {}.{}, and 1.3 is needed.",
                              VK_API_VERSION_MAJOR(application.api_version),
                              VK_API_VERSION_MINOR(application.api_version)));
  }
  if (!application.lock != !application.unlock)
    why.emplace_back("lock and unlock are given both or not at all.");
  if (!why.empty())
    refuse(why);
}

DeviceInfo adopted_info(Instance& instance, const Adoption& application) {
  const auto devices = list_devices(instance);
  const auto found = std::ranges::find(devices, application.physical_device, &DeviceInfo::handle);
  if (found == devices.end())
    refuse({"physical_device is none of the instance."});
  DeviceInfo info = *found;
  if (!info.usable)
    refuse(info.missing);

  const VkDeviceCreateInfo& created = *application.created_with;
  std::vector<std::string> why;
  bool draws = true;
  for (const Wanted& w : wanted_features) {
    if (enabled(created, w))
      continue;
    draws = false;
    if (!w.drawing)
      why.push_back(fmt::format("The device was made without the feature {} of {}.", w.name, structure_of(w)));
  }
  const auto families = queue_families(info.handle);
  if (application.queue_family >= families.size()) {
    why.push_back(fmt::format("There is no queue family {}.", application.queue_family));
    refuse(why);
  }
  const VkQueueFamilyProperties& family = families[application.queue_family];
  if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT))
    why.push_back(fmt::format("Queues of family {} do not compute.", application.queue_family));
  const std::uint32_t queues = queues_made(created, application.queue_family);
  if (queues == 0)
    why.push_back(fmt::format("The device was made without queues of family {}.", application.queue_family));
  else if (!is_queue_of(application, queues))
    why.push_back(fmt::format("queue is none of the device's queues of family {}.", application.queue_family));
  for (const std::uint32_t other : application.other_families) {
    if (queues_made(created, other) == 0)
      why.push_back(fmt::format("The device was made without queues of family {}, one of other_families.", other));
  }
  if (application.export_memory && !enabled(created, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
    why.push_back(fmt::format("The device was made without {}, which export_memory needs.",
                              VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME));
  }
  if (!why.empty())
    refuse(why);
  info.queue_family = application.queue_family;
  info.graphics = draws && family.queueFlags & VK_QUEUE_GRAPHICS_BIT;
  return info;
}

LogicalDevice::LogicalDevice(Instance& instance, const DeviceInfo& info, const Adoption& application)
    : instance_(instance), info_(info), handle_(application.device), queue_(application.queue),
      queue_family_(application.queue_family), adopted_(true), lock_(application.lock), unlock_(application.unlock) {
  const VkDeviceCreateInfo& created = *application.created_with;
  const auto* conditions = find_structure<VkPhysicalDeviceConditionalRenderingFeaturesEXT>(
      created, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
  conditions_ = info.limits.conditional_rendering && enabled(created, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME) &&
                conditions && conditions->conditionalRendering;
  vkGetPhysicalDeviceMemoryProperties(info.handle, &memory_);
  const std::uint32_t bits = queue_families(info.handle)[queue_family_].timestampValidBits;
  timestamp_bits_ = info_.limits.core.timestampPeriod > 0.0f ? bits : 0;
  info_.timestamps = timestamp_bits_ > 0;
  families_ = application.other_families;
  families_.push_back(queue_family_);
  std::ranges::sort(families_);
  families_.erase(std::unique(families_.begin(), families_.end()), families_.end());
  if (application.export_memory)
    set_exports({created.ppEnabledExtensionNames, created.enabledExtensionCount});
  try {
    load_pipeline_cache({.pipeline_cache = application.pipeline_cache});
  } catch (...) {
    destroy();
    throw;
  }
}

void LogicalDevice::set_exports(std::span<const char* const> extensions) {
  exports_memory_ = true;
  const bool enabled = std::ranges::any_of(
      extensions, [](const char* name) { return std::strcmp(name, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) == 0; });
  if (!enabled)
    return;
  auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto asked = make<VkPhysicalDeviceExternalSemaphoreInfo>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO);
  asked.pNext = &type;
  asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  auto answer = make<VkExternalSemaphoreProperties>(VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES);
  vkGetPhysicalDeviceExternalSemaphoreProperties(info_.handle, &asked, &answer);
  exports_timeline_ = answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

int Device::export_timeline() const {
  if (!exports_timeline()) {
    throw Error(fmt::format("The timeline of {} cannot be exported: {}.", info().name,
                            exports_memory() ? "the driver does not export timeline semaphores, or the device was made "
                                               "without VK_KHR_external_semaphore_fd. Wait for the steps on the host "
                                               "instead"
                                             : "the device was not opened or adopted with export_memory"));
  }
  auto info = make<VkSemaphoreGetFdInfoKHR>(VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR);
  info.semaphore = timeline_;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(vkGetSemaphoreFdKHR(handle(), &info, &fd), "Exporting the device's timeline");
  return fd;
}

void Device::wait_before_next(const TimelinePoint& point) {
  const auto same = std::ranges::find(waits_, point.semaphore, &TimelinePoint::semaphore);
  if (same == waits_.end())
    waits_.push_back(point);
  else
    same->value = std::max(same->value, point.value);
}

// Waits for the application's work that still reads the buffers of this object.
void Device::wait_for_readers() noexcept {
  for (const TimelinePoint& point : waits_) {
    auto info = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &point.semaphore;
    info.pValues = &point.value;
    vkWaitSemaphores(handle(), &info, UINT64_MAX);
  }
  waits_.clear();
}

}  // namespace talus::gpu
