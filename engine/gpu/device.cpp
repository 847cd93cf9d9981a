#include "engine/gpu/device.h"
#include "engine/base/cache.h"
#include "engine/gpu/features.h"
#include "engine/gpu/shader.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <utility>

namespace talus::gpu {

namespace {

constexpr std::uint32_t needed_group_size = 256;  // threads
constexpr const char* portability_subset = "VK_KHR_portability_subset";

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

struct Family {
  std::uint32_t index;
  bool graphics;
  std::uint32_t timestamp_bits;
};

// One family that draws and computes where there is one, else one that computes.
std::optional<Family> find_family(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  std::optional<Family> found;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& f = families[i];
    if (!f.queueCount || !(f.queueFlags & VK_QUEUE_COMPUTE_BIT))
      continue;
    const bool graphics = f.queueFlags & VK_QUEUE_GRAPHICS_BIT;
    if (!found || (graphics && !found->graphics))
      found = Family{i, graphics, f.timestampValidBits};
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

NoDevice unusable(const DeviceInfo& d) {
  return NoDevice(fmt::format("Device {} ({}) cannot run Talus. {}", d.index, d.name, fmt::join(d.missing, " ")));
}

// Some drivers trust what they are given, so a cache file carries a sum that is checked first.
struct CacheHeader {
  char magic[8];
  std::uint32_t vendor, device, driver, reserved;
  std::uint8_t uuid[VK_UUID_SIZE];
  std::uint64_t bytes, sum;
};

CacheHeader cache_header(const VkPhysicalDeviceProperties& p, std::span<const char> data) {
  CacheHeader h{
      {'t', 'a', 'l', 'u', 's', 'p', 'c', '1'}, p.vendorID, p.deviceID, p.driverVersion, 0, {}, data.size(), 0};
  std::memcpy(h.uuid, p.pipelineCacheUUID, VK_UUID_SIZE);
  h.sum = checksum(std::as_bytes(data));
  return h;
}

VkPhysicalDeviceProperties properties_of(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties p{};
  vkGetPhysicalDeviceProperties(device, &p);
  return p;
}

}  // namespace

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

Device::Device(Instance& instance, const DeviceInfo& info, const DeviceOptions& options)
    : instance_(instance), info_(info), labels_{""} {
  if (!info.usable && !options.compile_only)
    throw unusable(info);
  const auto offered = extensions_of(info.handle);
  std::vector<const char*> extensions;
  for (const char* name : options.extensions) {
    if (!offers(offered, name))
      throw NoDevice(fmt::format("Device {} ({}) lacks {}.", info.index, info.name, name));
    extensions.push_back(name);
  }
  if (options.export_memory) {
    if (!offers(offered, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
      throw NoDevice(fmt::format("Device {} ({}) cannot export its memory: it lacks {}.", info.index, info.name,
                                 VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME));
    }
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    if (offers(offered, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME))
      extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
    set_exports(extensions);
  }
  if (offers(offered, portability_subset))
    extensions.push_back(portability_subset);  // the specification demands it
  conditions_ = info.limits.conditional_rendering;
  if (conditions_)
    extensions.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  statistics_ = options.compile_only && offers(offered, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  if (statistics_)
    extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);

  const Family family = find_family(info.handle).value();
  queue_family_ = family.index;
  timestamp_bits_ = info.timestamps ? family.timestamp_bits : 0;

  vkGetPhysicalDeviceMemoryProperties(info.handle, &memory_);

  Features features;
  for (const Wanted& w : wanted_features)
    feature(features, w) = VK_TRUE;
  auto conditions = make<VkPhysicalDeviceConditionalRenderingFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
  conditions.conditionalRendering = VK_TRUE;
  if (conditions_)
    features.v13.pNext = &conditions;
  auto executables = make<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
  executables.pipelineExecutableInfo = VK_TRUE;
  if (statistics_)
    executables.pNext = std::exchange(features.v13.pNext, &executables);
  const float priority = 1.0f;
  auto queue = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto create = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  create.pNext = &features.all;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(info.opens ? vkCreateDevice(info.handle, &create, nullptr, &handle_) : VK_ERROR_INITIALIZATION_FAILED,
        fmt::format("Opening the device {}", info.name));
  try {
    vkGetDeviceQueue(handle_, queue_family_, 0, &queue_);
    if (!options.compile_only)  // a device without hardware has none
      make_timeline();
    load_pipeline_cache(options);
  } catch (...) {
    destroy();
    throw;
  }
}

void Device::make_timeline() {
  auto exported = make<VkExportSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  if (exports_timeline_)
    type.pNext = &exported;
  auto semaphore = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  semaphore.pNext = &type;
  check(vkCreateSemaphore(handle_, &semaphore, nullptr, &timeline_), "Creating the device's timeline");
}

Device::~Device() {
  destroy();
}

void Device::destroy() {
  if (adopted_)
    drain_adopted();
  else if (timeline_)
    vkDeviceWaitIdle(handle_);
  while (!deferred_.empty()) {
    auto run = std::move(deferred_.front().destroy);
    deferred_.pop_front();
    run();
  }
  if (pipeline_cache_)
    save_pipeline_cache();
  for (VkDescriptorPool pool : descriptor_pools_)
    vkDestroyDescriptorPool(handle_, pool, nullptr);
  for (VkSampler sampler : samplers_)
    vkDestroySampler(handle_, sampler, nullptr);
  vkDestroyPipelineCache(handle_, pipeline_cache_, nullptr);
  vkDestroySemaphore(handle_, timeline_, nullptr);
  if (!adopted_)
    vkDestroyDevice(handle_, nullptr);
}

void Device::lost() {
  lost_ = true;
  throw DeviceLost(
      fmt::format("The device {} was lost: its driver stopped answering (a crash, a time limit of the system, "
                  "or a GPU that was taken away).",
                  info_.name));
}

Ticket Device::submit(VkCommandBuffer commands, const Semaphores& semaphores, std::uint32_t times) {
  std::vector<VkSemaphoreSubmitInfo> wait, signal;
  const auto entry = [](VkSemaphore semaphore, std::uint64_t value, VkPipelineStageFlags2 stages) {
    auto info = make<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
    info.semaphore = semaphore;
    info.value = value;
    info.stageMask = stages;
    return info;
  };
  for (VkSemaphore s : semaphores.wait) {
    wait.push_back(entry(s, 0, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT));
  }
  for (const TimelinePoint& point : waits_)
    wait.push_back(entry(point.semaphore, point.value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  for (VkSemaphore s : semaphores.signal)
    signal.push_back(entry(s, 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  signal.push_back(entry(timeline_, submitted_ + 1, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));

  auto command = make<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  command.commandBuffer = commands;
  const std::vector<VkCommandBufferSubmitInfo> all(commands ? times : 0, command);
  auto info = make<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(wait.size());
  info.pWaitSemaphoreInfos = wait.data();
  info.commandBufferInfoCount = static_cast<std::uint32_t>(all.size());
  info.pCommandBufferInfos = all.data();
  info.signalSemaphoreInfoCount = static_cast<std::uint32_t>(signal.size());
  info.pSignalSemaphoreInfos = signal.data();
  if (lock_)
    lock_();
  const VkResult result = vkQueueSubmit2(queue_, 1, &info, VK_NULL_HANDLE);
  if (unlock_)
    unlock_();
  if (result == VK_ERROR_DEVICE_LOST)
    lost();
  check(result, "Submitting work to the device");
  waits_.clear();
  return ++submitted_;
}

bool Device::done(Ticket ticket) {
  if (lost_)
    lost();
  if (ticket <= completed_)
    return true;
  const VkResult result = vkGetSemaphoreCounterValue(handle_, timeline_, &completed_);
  if (result == VK_ERROR_DEVICE_LOST)
    lost();
  check(result, "Asking the device how far it is");
  return ticket <= completed_;
}

void Device::wait(Ticket ticket) {
  if (lost_)
    lost();
  if (ticket > submitted_)
    throw Error("Waiting for work that was never submitted would take forever.");
  if (!done(ticket)) {
    auto info = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &ticket;
    const VkResult result = vkWaitSemaphores(handle_, &info, UINT64_MAX);
    if (result == VK_ERROR_DEVICE_LOST)
      lost();
    check(result, "Waiting for the device");
    completed_ = std::max(completed_, ticket);
  }
  collect();
}

Label Device::label(std::string_view name) {
  if (const auto found = label_ids_.find(name); found != label_ids_.end())
    return {found->second};
  const auto id = static_cast<std::uint32_t>(labels_.size());
  label_ids_.emplace(labels_.emplace_back(name), id);
  return {id};
}

void Device::load_pipeline_cache(const DeviceOptions& options) {
  const VkPhysicalDeviceProperties p = properties_of(info_.handle);
  std::vector<char> data;
  if (options.pipeline_cache) {
    const auto directory = options.cache_directory.empty() ? default_cache_directory() : options.cache_directory;
    if (!directory.empty()) {
      std::string uuid;
      for (const std::uint8_t byte : p.pipelineCacheUUID)
        uuid += fmt::format("{:02x}", byte);
      cache_file_ = directory / fmt::format("pipelines-{}-{:x}.bin", uuid, p.driverVersion);
      CacheHeader header{};
      std::ifstream in(cache_file_, std::ios::binary);
      std::error_code error;
      const auto size = std::filesystem::file_size(cache_file_, error);
      if (!error && in.read(reinterpret_cast<char*>(&header), sizeof header) && header.bytes == size - sizeof header) {
        data.resize(header.bytes);
        in.read(data.data(), static_cast<std::streamsize>(data.size()));
        const CacheHeader own = cache_header(p, data);
        if (!in || std::memcmp(&own, &header, sizeof header) != 0)
          data.clear();
      }
    }
  }
  auto info = make<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  if (vkCreatePipelineCache(handle_, &info, nullptr, &pipeline_cache_) == VK_SUCCESS) {
    cache_loaded_ = cache_saved_ = data.size();
    return;
  }
  info.initialDataSize = 0;
  check(vkCreatePipelineCache(handle_, &info, nullptr, &pipeline_cache_), "Creating the pipeline cache");
}

bool Device::save_pipeline_cache() {
  std::size_t size = 0;
  if (cache_file_.empty() || vkGetPipelineCacheData(handle_, pipeline_cache_, &size, nullptr) < 0)
    return false;
  if (size <= cache_saved_)
    return true;
  std::vector<char> data(size);
  if (vkGetPipelineCacheData(handle_, pipeline_cache_, &size, data.data()) != VK_SUCCESS)
    return false;
  data.resize(size);
  const CacheHeader header = cache_header(properties_of(info_.handle), data);

  if (!write_whole(cache_file_, {std::as_bytes(std::span(&header, 1)), std::as_bytes(std::span(data))}))
    return false;
  cache_saved_ = size;
  return true;
}

std::uint32_t Device::memory_type(std::uint32_t allowed, MemoryKind kind) const {
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const auto find = [&](VkMemoryPropertyFlags flags) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
      if ((allowed >> i & 1u) && (memory_.memoryTypes[i].propertyFlags & flags) == flags)
        return i;
    }
    return std::nullopt;
  };
  std::optional<std::uint32_t> found;
  if (kind == MemoryKind::device)
    found = find(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (kind == MemoryKind::readback)
    found = find(host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!found)
    found = find(kind == MemoryKind::device ? 0 : host);
  return found.value();  // the specification guarantees one
}

Device::Memory Device::allocate(const VkMemoryRequirements& need, MemoryKind kind, std::string_view what,
                                VkBuffer exported) {
  const std::uint32_t type = memory_type(need.memoryTypeBits, kind);
  const std::uint32_t heap = memory_.memoryTypes[type].heapIndex;
  const std::uint64_t room =
      memory_.memoryHeaps[heap].size - std::min(heap_bytes_[heap], memory_.memoryHeaps[heap].size);
  if (need.size > info_.limits.allocation_bytes) {
    throw OutOfMemory(fmt::format("The {} needs {}, and {} allocates at most {} at once.", what, byte_text(need.size),
                                  info_.name, byte_text(info_.limits.allocation_bytes)));
  }
  const bool counted_out = allocations_ >= limits().maxMemoryAllocationCount;
  auto info = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = need.size;
  info.memoryTypeIndex = type;
  auto dedicated = make<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  dedicated.buffer = exported;
  auto handles = make<VkExportMemoryAllocateInfo>(VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
  handles.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  handles.pNext = &dedicated;
  if (exported)
    info.pNext = &handles;
  Memory memory{VK_NULL_HANDLE, need.size, heap};
  VkResult result = need.size <= room && !counted_out ? vkAllocateMemory(handle_, &info, nullptr, &memory.handle)
                                                      : VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (const std::size_t waiting = deferred_.size(); result == VK_ERROR_OUT_OF_DEVICE_MEMORY && waiting) {
    wait_idle();  // what is to be freed then may make room
    if (deferred_.size() < waiting)
      return allocate(need, kind, what, exported);
  }
  if (counted_out) {
    throw OutOfMemory(fmt::format("The {} needs an allocation of memory, and {} has all of its {} in use.", what,
                                  info_.name, limits().maxMemoryAllocationCount));
  }
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    throw OutOfMemory(fmt::format("The {} needs {}, and of the {} of memory that {} has, {} are in use by Talus.", what,
                                  byte_text(need.size), byte_text(memory_.memoryHeaps[heap].size), info_.name,
                                  byte_text(heap_bytes_[heap])));
  }
  check(result, fmt::format("Allocating memory for the {}", what));
  ++allocations_;
  memory_bytes_ += memory.bytes;
  heap_bytes_[heap] += memory.bytes;
  return memory;
}

void Device::release(const Memory& memory) {
  if (!memory.handle)
    return;
  vkFreeMemory(handle_, memory.handle, nullptr);
  --allocations_;
  memory_bytes_ -= memory.bytes;
  heap_bytes_[memory.heap] -= memory.bytes;
}

void Device::drain() noexcept {
  try {
    wait_idle();
  } catch (const Error&) {  // whoever uses the device next is told
    if (!adopted_)
      vkDeviceWaitIdle(handle_);  // does not take for ever on a lost device, either
  }
}

void Device::defer(std::function<void()> destroy) {
  // The next submission waits for what others still do with it.
  deferred_.push_back({recording_ || !waits_.empty() ? submitted_ + 1 : submitted_, std::move(destroy)});
  collect();
}

void Device::collect() {
  while (!deferred_.empty()) {
    // Called by destructors, too: a lost device has nothing in use any more.
    const Ticket ticket = deferred_.front().ticket;
    if (ticket > completed_ && !lost_) {
      const VkResult result = vkGetSemaphoreCounterValue(handle_, timeline_, &completed_);
      if (result == VK_ERROR_DEVICE_LOST)
        lost_ = true;
      else if (result < 0 || ticket > completed_)
        return;
    }
    const auto run = std::move(deferred_.front().destroy);
    deferred_.pop_front();
    run();
  }
}

Device::DescriptorSet Device::allocate_set(VkDescriptorSetLayout layout) {
  auto allocate = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  DescriptorSet set;
  for (auto pool = descriptor_pools_.rbegin(); pool != descriptor_pools_.rend(); ++pool) {
    allocate.descriptorPool = set.pool = *pool;
    if (vkAllocateDescriptorSets(handle_, &allocate, &set.handle) == VK_SUCCESS)
      return set;
  }
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2048},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 256}};
  auto create = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  create.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  create.maxSets = 256;
  create.poolSizeCount = 2;
  create.pPoolSizes = sizes;
  check(vkCreateDescriptorPool(handle_, &create, nullptr, &set.pool), "Creating a descriptor pool");
  descriptor_pools_.push_back(set.pool);
  allocate.descriptorPool = set.pool;
  check(vkAllocateDescriptorSets(handle_, &allocate, &set.handle), "Allocating a descriptor set");
  return set;
}

std::vector<std::uint32_t> Device::replace_shader(const std::string& name, std::vector<std::uint32_t> spirv) {
  return std::exchange(replaced_shaders_[name], std::move(spirv));
}
std::span<const std::uint32_t> Device::shader(const std::string& name, std::span<const std::uint32_t> given) const {
  const auto found = replaced_shaders_.find(name);
  return found == replaced_shaders_.end() || found->second.empty() ? given : found->second;
}
const Pipeline* Device::find_pipeline(std::string_view name) const {
  const auto found = std::ranges::find(pipelines_, name, &Pipeline::name);
  return found == pipelines_.end() ? nullptr : *found;
}
void Device::add_pipeline(Pipeline* pipeline) {
  pipelines_.push_back(pipeline);
}
void Device::remove_pipeline(Pipeline* pipeline) {
  std::erase(pipelines_, pipeline);
}
void Device::forget(std::uint64_t resource) {
  for (Pipeline* pipeline : pipelines_)
    pipeline->forget(resource);
}

VkSampler Device::sampler(bool linear, bool compare) {
  VkSampler& sampler = samplers_[(linear ? 1 : 0) + (compare ? 2 : 0)];
  if (!sampler) {
    auto info = make<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
    info.magFilter = info.minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    info.addressModeU = info.addressModeV = info.addressModeW =
        compare ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    info.compareEnable = compare;
    info.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    check(vkCreateSampler(handle_, &info, nullptr, &sampler), "Creating a sampler");
  }
  return sampler;
}

void Device::set_name(VkObjectType type, std::uint64_t handle, const std::string& name) const {
  if (!instance_.debug_utils())
    return;
  auto info = make<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name.c_str();
  vkSetDebugUtilsObjectNameEXT(handle_, &info);
}

}  // namespace talus::gpu
