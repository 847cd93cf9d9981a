#include "engine/gpu/device.h"
#include "engine/gpu/shader.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace talus::gpu {

Device::Device(std::shared_ptr<LogicalDevice> logical) : logical_(std::move(logical)), labels_{""} {
  if (!logical_->compile_only())  // a device without hardware has none
    make_timeline();
}

Device::Device(Instance& instance, const DeviceInfo& info, const DeviceOptions& options)
    : Device(std::make_shared<LogicalDevice>(instance, info, options)) {}

void Device::make_timeline() {
  auto exported = make<VkExportSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  if (exports_timeline())
    type.pNext = &exported;
  auto semaphore = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  semaphore.pNext = &type;
  check(vkCreateSemaphore(handle(), &semaphore, nullptr, &timeline_), "Creating the device's timeline");
}

Device::~Device() {
  drain();
  if (logical_->adopted())
    wait_for_readers();
  while (!deferred_.empty()) {
    auto run = std::move(deferred_.front().destroy);
    deferred_.pop_front();
    run();
  }
  for (VkDescriptorPool pool : descriptor_pools_)
    vkDestroyDescriptorPool(handle(), pool, nullptr);
  vkDestroySemaphore(handle(), timeline_, nullptr);
}

void Device::lost() {
  logical_->set_lost();
  throw DeviceLost(
      fmt::format("The device {} was lost: its driver stopped answering (a crash, a time limit of the system, "
                  "or a GPU that was taken away).",
                  info().name));
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
  const VkResult result = logical_->submit(info);
  if (result == VK_ERROR_DEVICE_LOST)
    lost();
  check(result, "Submitting work to the device");
  waits_.clear();
  return ++submitted_;
}

bool Device::done(Ticket ticket) {
  if (is_lost())
    lost();
  if (ticket <= completed_)
    return true;
  const VkResult result = vkGetSemaphoreCounterValue(handle(), timeline_, &completed_);
  if (result == VK_ERROR_DEVICE_LOST)
    lost();
  check(result, "Asking the device how far it is");
  return ticket <= completed_;
}

void Device::wait(Ticket ticket) {
  if (is_lost())
    lost();
  if (ticket > submitted_)
    throw Error("Waiting for work that was never submitted would take forever.");
  if (!done(ticket)) {
    auto info = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &ticket;
    const VkResult result = vkWaitSemaphores(handle(), &info, UINT64_MAX);
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

std::uint32_t Device::memory_type(std::uint32_t allowed, MemoryKind kind) const {
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkPhysicalDeviceMemoryProperties& types = logical_->memory();
  const auto find = [&](VkMemoryPropertyFlags flags) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = 0; i < types.memoryTypeCount; ++i) {
      if ((allowed >> i & 1u) && (types.memoryTypes[i].propertyFlags & flags) == flags)
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
  const VkPhysicalDeviceMemoryProperties& types = logical_->memory();
  const std::uint32_t type = memory_type(need.memoryTypeBits, kind);
  const std::uint32_t heap = types.memoryTypes[type].heapIndex;
  const std::uint64_t room =
      types.memoryHeaps[heap].size - std::min<std::uint64_t>(logical_->heap_bytes[heap], types.memoryHeaps[heap].size);
  if (need.size > info().limits.allocation_bytes) {
    throw OutOfMemory(fmt::format("The {} needs {}, and {} allocates at most {} at once.", what, byte_text(need.size),
                                  info().name, byte_text(info().limits.allocation_bytes)));
  }
  const bool counted_out = logical_->allocations >= limits().maxMemoryAllocationCount;
  const std::string& name = info().name;
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
  VkResult result = need.size <= room && !counted_out ? vkAllocateMemory(handle(), &info, nullptr, &memory.handle)
                                                      : VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (const std::size_t waiting = deferred_.size(); result == VK_ERROR_OUT_OF_DEVICE_MEMORY && waiting) {
    wait_idle();  // what is to be freed then may make room
    if (deferred_.size() < waiting)
      return allocate(need, kind, what, exported);
  }
  if (counted_out) {
    throw OutOfMemory(fmt::format("The {} needs an allocation of memory, and {} has all of its {} in use.", what, name,
                                  limits().maxMemoryAllocationCount));
  }
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    throw OutOfMemory(fmt::format("The {} needs {}, and of the {} of memory that {} has, {} are in use by Talus.", what,
                                  byte_text(need.size), byte_text(types.memoryHeaps[heap].size), name,
                                  byte_text(logical_->heap_bytes[heap])));
  }
  check(result, fmt::format("Allocating memory for the {}", what));
  ++logical_->allocations;
  memory_bytes_ += memory.bytes;
  logical_->heap_bytes[heap] += memory.bytes;
  return memory;
}

void Device::release(const Memory& memory) {
  if (!memory.handle)
    return;
  vkFreeMemory(handle(), memory.handle, nullptr);
  --logical_->allocations;
  memory_bytes_ -= memory.bytes;
  logical_->heap_bytes[memory.heap] -= memory.bytes;
}

void Device::drain() noexcept {
  try {
    wait_idle();
  } catch (const Error&) {  // whoever uses the device next is told
    logical_->wait_idle();  // does not take for ever on a lost device, either
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
    if (ticket > completed_ && !is_lost()) {
      const VkResult result = vkGetSemaphoreCounterValue(handle(), timeline_, &completed_);
      if (result == VK_ERROR_DEVICE_LOST)
        logical_->set_lost();
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
    if (vkAllocateDescriptorSets(handle(), &allocate, &set.handle) == VK_SUCCESS)
      return set;
  }
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2048},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 256}};
  auto create = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  create.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  create.maxSets = 256;
  create.poolSizeCount = 2;
  create.pPoolSizes = sizes;
  check(vkCreateDescriptorPool(handle(), &create, nullptr, &set.pool), "Creating a descriptor pool");
  descriptor_pools_.push_back(set.pool);
  allocate.descriptorPool = set.pool;
  check(vkAllocateDescriptorSets(handle(), &allocate, &set.handle), "Allocating a descriptor set");
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

void Device::set_name(VkObjectType type, std::uint64_t handle, const std::string& name) const {
  if (!instance().debug_utils())
    return;
  auto info = make<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name.c_str();
  vkSetDebugUtilsObjectNameEXT(logical_->handle(), &info);
}

}  // namespace talus::gpu
