#pragma once
#include "engine/gpu/instance.h"
#include "engine/gpu/track.h"
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace talus::gpu {

class Pipeline;

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
  bool graphics = false;           // it can draw
  std::uint32_t queue_family = 0;  // of the one queue in use
  VkPhysicalDevice handle = VK_NULL_HANDLE;
};

// All devices of this machine, unusable ones too. The order is stable from call to call.
std::vector<DeviceInfo> list_devices(Instance& instance);

// The device that wanted names: "auto" (the first usable one), an index of the list, or part of a name in any case.
// Throws NoDevice, which lists what is there and what each device lacks.
const DeviceInfo& choose(const std::vector<DeviceInfo>& devices, std::string_view wanted);

// One line per device, as NoDevice shows it.
std::string device_list_text(const std::vector<DeviceInfo>& devices);

struct DeviceOptions {
  std::vector<const char*> extensions;    // that must be there, such as VK_KHR_swapchain
  bool pipeline_cache = true;             // keep compiled pipelines on disk
  std::filesystem::path cache_directory;  // empty: $XDG_CACHE_HOME/talus, ~/.cache/talus or %LOCALAPPDATA%\talus
  // Pipelines can be made and nothing can be submitted: on a device that has no hardware behind it, too, usable or not.
  // The driver keeps the statistics of what it compiles (executables.h) where it can.
  bool compile_only = false;
};

// Binary semaphores of a submission, for swapchains. Colour output and transfers wait.
struct Semaphores {
  std::span<const VkSemaphore> wait, signal;
};

// A logical device with one queue. Not for use by several threads at once. Outlives all that is made on it.
class Device {
public:
  Device(Instance& instance, const DeviceInfo& info, const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  Instance& instance() const { return instance_; }
  bool graphics() const { return info_.graphics; }
  bool conditions() const { return conditions_; }  // VK_EXT_conditional_rendering
  bool statistics() const { return statistics_; }  // of compiled pipelines: with compile_only alone
  bool is_lost() const { return lost_; }
  std::uint64_t memory_bytes() const { return memory_bytes_; }  // allocated now, staging included

  // Submissions run in order. Most users call Graph::submit.
  Ticket submit(VkCommandBuffer commands, const Semaphores& semaphores = {}, std::uint32_t times = 1);
  Ticket last_ticket() const { return submitted_; }
  bool done(Ticket ticket);
  void wait(Ticket ticket);  // throws DeviceLost
  void wait_idle() { wait(submitted_); }
  void drain() noexcept;  // wait_idle() for destructors: a lost device uses nothing any more

  // The name of a pass for reports and tools; the same name gives the same label.
  Label label(std::string_view name);
  const std::string& label_name(Label label) const { return labels_[label.id]; }

  // Writes the pipeline cache if it has grown; the destructor does so too. False when it could not be written.
  bool save_pipeline_cache();
  const std::filesystem::path& pipeline_cache_file() const { return cache_file_; }
  std::size_t pipeline_cache_loaded() const { return cache_loaded_; }  // bytes taken over from disk

  VkDevice handle() const { return handle_; }
  VkPhysicalDevice physical() const { return info_.handle; }
  VkQueue queue() const { return queue_; }
  std::uint32_t queue_family() const { return queue_family_; }
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  std::uint32_t timestamp_bits() const { return timestamp_bits_; }  // 0: it has no timestamps

  // For the rest of this folder.
  struct Memory {
    VkDeviceMemory handle = VK_NULL_HANDLE;
    std::uint64_t bytes = 0;
    std::uint32_t heap = 0;
  };
  enum class MemoryKind { device, upload, readback };
  Memory allocate(const VkMemoryRequirements& need, MemoryKind kind, std::string_view what);
  void release(const Memory& memory);
  void defer(std::function<void()> destroy);  // runs once nothing recorded or submitted so far can be using it
  void collect();                             // runs what has been deferred and is due
  struct DescriptorSet {
    VkDescriptorSet handle = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
  };
  DescriptorSet allocate_set(VkDescriptorSetLayout layout);
  // Code for the pipelines made from now on, instead of what they are given, by the shader's name ("dem.comp"); empty:
  // no more. Returns what was there.
  std::vector<std::uint32_t> replace_shader(const std::string& name, std::vector<std::uint32_t> spirv);
  std::span<const std::uint32_t> shader(const std::string& name, std::span<const std::uint32_t> given) const;
  const Pipeline* find_pipeline(std::string_view name) const;  // null: there is none of that name
  void add_pipeline(Pipeline* pipeline);
  void remove_pipeline(Pipeline* pipeline);
  void forget(std::uint64_t resource);  // drops cached descriptor sets that name it
  std::uint64_t next_id() { return ++last_id_; }
  VkSampler sampler(bool linear, bool compare);
  void set_name(VkObjectType type, std::uint64_t handle, const std::string& name) const;
  Tracker& tracker() { return tracker_; }
  const void* recording() const { return recording_; }  // the graph with passes not yet submitted
  void set_recording(const void* graph) { recording_ = graph; }

private:
  Instance& instance_;
  DeviceInfo info_;
  VkPhysicalDeviceLimits limits_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  std::uint64_t max_allocation_ = 0;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t queue_family_ = 0;
  std::uint32_t timestamp_bits_ = 0;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  Ticket submitted_ = 0, completed_ = 0;
  bool lost_ = false, conditions_ = false, statistics_ = false;

  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  std::filesystem::path cache_file_;
  std::size_t cache_loaded_ = 0, cache_saved_ = 0;

  std::uint64_t memory_bytes_ = 0;
  std::array<std::uint64_t, VK_MAX_MEMORY_HEAPS> heap_bytes_{};
  std::vector<VkDescriptorPool> descriptor_pools_;
  std::array<VkSampler, 4> samplers_{};
  std::vector<Pipeline*> pipelines_;
  std::map<std::string, std::vector<std::uint32_t>> replaced_shaders_;
  struct Deferred {
    Ticket ticket;
    std::function<void()> destroy;
  };
  std::deque<Deferred> deferred_;

  std::deque<std::string> labels_;  // a deque, so that names stay where they are
  std::unordered_map<std::string_view, std::uint32_t> label_ids_;
  Tracker tracker_;
  const void* recording_ = nullptr;
  std::uint64_t last_id_ = 0;

  void destroy();
  void load_pipeline_cache(const DeviceOptions& options);
  [[noreturn]] void lost();
  std::uint32_t memory_type(std::uint32_t allowed, MemoryKind kind) const;
};

}  // namespace talus::gpu
