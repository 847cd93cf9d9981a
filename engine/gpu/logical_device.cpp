#include "engine/gpu/logical_device.h"
#include "engine/base/cache.h"
#include "engine/gpu/features.h"
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <utility>

namespace talus::gpu {

namespace {

constexpr const char* portability_subset = "VK_KHR_portability_subset";

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

}  // namespace

LogicalDevice::LogicalDevice(Instance& instance, const DeviceInfo& info, const DeviceOptions& options)
    : instance_(instance), info_(info), compile_only_(options.compile_only) {
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

  const QueueFamily family = find_family(info.handle).value();
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
    load_pipeline_cache(options);
  } catch (...) {
    destroy();
    throw;
  }
}

LogicalDevice::~LogicalDevice() {
  destroy();
}

void LogicalDevice::destroy() {
  if (!adopted_ && !compile_only_)
    vkDeviceWaitIdle(handle_);
  if (pipeline_cache_)
    save_pipeline_cache();
  for (const auto& entry : compiled_)
    destroy(entry.second);
  for (VkSampler sampler : samplers_)
    vkDestroySampler(handle_, sampler, nullptr);
  vkDestroyPipelineCache(handle_, pipeline_cache_, nullptr);
  if (!adopted_)
    vkDestroyDevice(handle_, nullptr);
}

void LogicalDevice::destroy(const Compiled& compiled) {
  vkDestroyPipeline(handle_, compiled.pipeline, nullptr);
  vkDestroyPipelineLayout(handle_, compiled.layout, nullptr);
  vkDestroyDescriptorSetLayout(handle_, compiled.set_layout, nullptr);
}

VkResult LogicalDevice::submit(const VkSubmitInfo2& info) {
  const std::scoped_lock lock(queue_mutex_);
  if (lock_)
    lock_();
  const VkResult result = vkQueueSubmit2(queue_, 1, &info, VK_NULL_HANDLE);
  if (unlock_)
    unlock_();
  return result;
}

void LogicalDevice::wait_idle() noexcept {
  const std::scoped_lock lock(queue_mutex_);
  if (!adopted_)
    vkDeviceWaitIdle(handle_);
}

LogicalDevice::Compiled LogicalDevice::compiled(const std::string& key, const std::function<void(Compiled&)>& compile) {
  {
    const std::scoped_lock lock(compiled_mutex_);
    if (const auto found = compiled_.find(key); found != compiled_.end())
      return found->second;
  }
  Compiled fresh;
  try {
    compile(fresh);
    const std::scoped_lock lock(compiled_mutex_);
    const auto [kept, added] = compiled_.emplace(key, fresh);
    if (!added)  // another thread was faster
      destroy(fresh);
    return kept->second;
  } catch (...) {
    destroy(fresh);
    throw;
  }
}

void LogicalDevice::load_pipeline_cache(const DeviceOptions& options) {
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

std::size_t LogicalDevice::compiled_count() {
  const std::scoped_lock lock(compiled_mutex_);
  return compiled_.size();
}

bool LogicalDevice::save_pipeline_cache() {
  const std::scoped_lock lock(compiled_mutex_);
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

VkSampler LogicalDevice::sampler(bool linear, bool compare) {
  const std::scoped_lock lock(compiled_mutex_);
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

}  // namespace talus::gpu
