#pragma once
#include "engine/gpu/device.h"
#include <cstddef>
#include <span>
#include <string>

namespace talus::gpu {

// A piece of memory: storage, indirect arguments, indices, source and destination of copies. Filled and read through
// Graph. Moving keeps the contents and needs no waiting; destroying one that is in use is put off until it is not.
// Growing: `buffer = Buffer(device, name, more)` keeps its address valid in arrays of Buffer*.
class Buffer : public Resource {
public:
  // device: on the device, not mapped. upload and readback: host memory that is mapped and coherent, the one good to
  // write for the host, the other good to read. What the device wrote there can be read once its submission has been
  // waited for.
  using Kind = Device::MemoryKind;

  Buffer() = default;
  // Of 0 bytes too. Throws OutOfMemory with name, need and limit: of the device's memory or of what a shader can reach.
  Buffer(Device& device, std::string name, std::uint64_t bytes, Kind kind = Kind::device);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }
  std::uint64_t bytes() const { return bytes_; }
  Kind kind() const { return kind_; }
  VkBuffer handle() const { return handle_; }
  // Its memory for another API or device: a file descriptor, the caller's to close or to give away. Throws Error where
  // the device was not opened with export_memory.
  struct Exported {
    int fd = -1;                     // VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
    std::uint64_t memory_bytes = 0;  // of the allocation, which is the buffer's alone (dedicated), from offset 0 on
    std::uint64_t buffer_bytes = 0;  // VkBufferCreateInfo::size
  };
  Exported export_fd() const;
  std::span<std::byte> mapped() const { return {mapped_, mapped_ ? static_cast<std::size_t>(bytes_) : 0}; }

private:
  Device* device_ = nullptr;
  VkBuffer handle_ = VK_NULL_HANDLE;
  Device::Memory memory_;
  std::uint64_t bytes_ = 0;
  Kind kind_ = Kind::device;
  std::byte* mapped_ = nullptr;

  void destroy();
};

}  // namespace talus::gpu
