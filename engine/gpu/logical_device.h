#pragma once
// A Vulkan device that is open, with its queue and with what is compiled for it.
#include "engine/gpu/device_list.h"
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace talus::gpu {

struct DeviceOptions {
  std::vector<const char*> extensions;    // that must be there, such as VK_KHR_swapchain
  bool export_memory = false;             // of buffers, as file descriptors (Buffer::export_fd)
  bool pipeline_cache = true;             // keep compiled pipelines on disk
  std::filesystem::path cache_directory;  // empty: $XDG_CACHE_HOME/talus, ~/.cache/talus or %LOCALAPPDATA%\talus
  // Pipelines can be made and nothing can be submitted: on a device that has no hardware behind it, too, usable or not.
  // The driver keeps the statistics of what it compiles (executables.h) where it can.
  bool compile_only = false;
};

// Several Devices (device.h) may be on one: each simulation has its own, with the memory, descriptor sets and
// submissions that are its alone. They share the queue and the compiled pipelines. Safe to use from any thread; what a
// Device has is not. An application's device (adopted) is not destroyed with this object.
class LogicalDevice {
public:
  // Opens the device. Throws Error.
  LogicalDevice(Instance& instance, const DeviceInfo& info, const DeviceOptions& options = {});
  // info: from adopted_info(). Throws Error.
  LogicalDevice(Instance& instance, const DeviceInfo& info, const Adoption& application);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;

  Instance& instance() const { return instance_; }
  const DeviceInfo& info() const { return info_; }
  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  std::uint32_t queue_family() const { return queue_family_; }
  std::uint32_t timestamp_bits() const { return timestamp_bits_; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  std::span<const std::uint32_t> families() const { return families_; }
  bool conditions() const { return conditions_; }
  bool statistics() const { return statistics_; }
  bool compile_only() const { return compile_only_; }
  bool adopted() const { return adopted_; }
  bool exports_memory() const { return exports_memory_; }
  bool exports_timeline() const { return exports_timeline_; }

  // A device that one of its users has lost is lost for all.
  bool is_lost() const { return lost_; }
  void set_lost() { lost_ = true; }

  VkResult submit(const VkSubmitInfo2& info);
  void wait_idle() noexcept;  // for all that is submitted, by others, too; not of an application's device

  // A pipeline and its layouts, which live as long as this object: to whoever compiles the same shaders with the same
  // options they are there. On SwiftShader, compiling those of a simulation took 0.4 s.
  struct Compiled {
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
  };
  // key: all that the result depends on. compile: fills in what it is given; what it has made when it throws is
  // destroyed. Two threads may compile the same at a time, and one result is kept.
  Compiled compiled(const std::string& key, const std::function<void(Compiled&)>& compile);
  std::size_t compiled_count();  // pipelines so far
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }

  // Writes the pipeline cache if it has grown; the destructor does so too. False when it could not be written.
  bool save_pipeline_cache();
  const std::filesystem::path& pipeline_cache_file() const { return cache_file_; }
  std::size_t pipeline_cache_loaded() const { return cache_loaded_; }  // bytes taken over from disk

  VkSampler sampler(bool linear, bool compare);

  // Memory that is allocated now, by all users.
  std::atomic<std::uint32_t> allocations = 0;
  std::array<std::atomic<std::uint64_t>, VK_MAX_MEMORY_HEAPS> heap_bytes{};

private:
  Instance& instance_;
  DeviceInfo info_;
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t queue_family_ = 0, timestamp_bits_ = 0;
  std::vector<std::uint32_t> families_;
  bool conditions_ = false, statistics_ = false, compile_only_ = false;
  bool adopted_ = false, exports_memory_ = false, exports_timeline_ = false;
  std::atomic<bool> lost_ = false;
  std::mutex queue_mutex_;
  std::function<void()> lock_, unlock_;  // of the application's queue

  std::mutex compiled_mutex_;  // of the members below
  std::map<std::string, Compiled> compiled_;
  std::array<VkSampler, 4> samplers_{};
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  std::filesystem::path cache_file_;
  std::size_t cache_loaded_ = 0, cache_saved_ = 0;

  void destroy();
  void destroy(const Compiled& compiled);
  void set_exports(std::span<const char* const> extensions);  // from those that are enabled
  void load_pipeline_cache(const DeviceOptions& options);
};

}  // namespace talus::gpu
