#include "engine/gpu/buffer.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace talus::gpu {

Buffer::Buffer(Device& device, std::string buffer_name, std::uint64_t bytes, Kind kind)
    : device_(&device), bytes_(bytes), kind_(kind) {
  name = std::move(buffer_name);
  id = device.next_id();
  // Whole words, because fills are in words; never empty, because Vulkan has no empty buffers.
  const std::uint64_t size = std::max<std::uint64_t>(16, (bytes + 15) & ~15ull);
  const auto& info = device.info();
  if (size > device.limits().maxStorageBufferRange) {  // a descriptor covers the whole buffer
    throw OutOfMemory(fmt::format("The buffer {} needs {}, and shaders on {} reach at most {} of a buffer.", name,
                                  byte_text(bytes), info.name, byte_text(device.limits().maxStorageBufferRange)));
  }
  auto create = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  create.size = size;
  create.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  if (device.conditions())
    create.usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
  const bool exported = kind == Kind::device && device.exports_memory();
  auto external = make<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  if (exported)
    create.pNext = &external;
  if (kind == Kind::device && device.families().size() > 1) {
    create.sharingMode = VK_SHARING_MODE_CONCURRENT;
    create.queueFamilyIndexCount = static_cast<std::uint32_t>(device.families().size());
    create.pQueueFamilyIndices = device.families().data();
  }
  TALUS_ASSERT(size >= bytes && size % 16 == 0, size, bytes);
  if (size > info.limits.buffer_bytes) {
    throw OutOfMemory(fmt::format("The buffer {} needs {}, and a buffer of {} has at most {}.", name, byte_text(size),
                                  info.name, byte_text(info.limits.buffer_bytes)));
  }
  const std::string what = fmt::format("buffer {}", name);
  try {
    check(vkCreateBuffer(device.handle(), &create, nullptr, &handle_), fmt::format("Creating the {}", what));
    VkMemoryRequirements need{};
    vkGetBufferMemoryRequirements(device.handle(), handle_, &need);
    memory_ = device.allocate(need, kind, what, exported ? handle_ : VK_NULL_HANDLE);
    check(vkBindBufferMemory(device.handle(), handle_, memory_.handle, 0), fmt::format("Binding the {}", what));
    if (kind != Kind::device) {
      void* pointer = nullptr;
      check(vkMapMemory(device.handle(), memory_.handle, 0, VK_WHOLE_SIZE, 0, &pointer),
            fmt::format("Mapping the {}", what));
      mapped_ = static_cast<std::byte*>(pointer);
    }
  } catch (...) {
    destroy();
    throw;
  }
  device.set_name(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(handle_), name);
}

Buffer::~Buffer() {
  destroy();
}

Buffer::Buffer(Buffer&& other) noexcept
    : Resource(std::move(other)), device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)),
      memory_(std::exchange(other.memory_, {})), bytes_(std::exchange(other.bytes_, 0)), kind_(other.kind_),
      mapped_(std::exchange(other.mapped_, nullptr)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other)
    return *this;
  destroy();
  Resource::operator=(std::move(other));
  device_ = other.device_;
  handle_ = std::exchange(other.handle_, VK_NULL_HANDLE);
  memory_ = std::exchange(other.memory_, {});
  bytes_ = std::exchange(other.bytes_, 0);
  kind_ = other.kind_;
  mapped_ = std::exchange(other.mapped_, nullptr);
  return *this;
}

Buffer::Exported Buffer::export_fd() const {
  if (!handle_ || kind_ != Kind::device || !device_->exports_memory()) {
    throw Error(fmt::format("The memory of the buffer {} cannot be exported: its device was not opened or adopted with "
                            "export_memory.",
                            name));
  }
  auto info = make<VkMemoryGetFdInfoKHR>(VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR);
  info.memory = memory_.handle;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(vkGetMemoryFdKHR(device_->handle(), &info, &fd), fmt::format("Exporting the buffer {}", name));
  return {fd, memory_.bytes, std::max<std::uint64_t>(16, (bytes_ + 15) & ~15ull)};
}

void Buffer::destroy() {
  if (!handle_)
    return;
  device_->forget(id);
  device_->defer([device = device_, handle = handle_, memory = memory_] {
    vkDestroyBuffer(device->handle(), handle, nullptr);
    device->release(memory);
  });
  handle_ = VK_NULL_HANDLE;
}

}  // namespace talus::gpu
