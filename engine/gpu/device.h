#pragma once
#include "engine/gpu/logical_device.h"
#include "engine/gpu/track.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace talus::gpu {

class Pipeline;

// Binary semaphores of a submission, for swapchains. Colour output and transfers wait.
struct Semaphores {
  std::span<const VkSemaphore> wait, signal;
};

// What one user has on a device: its memory, its descriptor sets, the order of its passes, and a timeline of its
// submissions. Not for use by several threads at once; several of them on one LogicalDevice are, each by a thread of
// its own. Outlives all that is made on it.
class Device {
public:
  explicit Device(std::shared_ptr<LogicalDevice> logical);
  // Opens a device of its own. Throws Error.
  Device(Instance& instance, const DeviceInfo& info, const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  LogicalDevice& logical() const { return *logical_; }
  const DeviceInfo& info() const { return logical_->info(); }
  Instance& instance() const { return logical_->instance(); }
  bool graphics() const { return info().graphics; }
  bool conditions() const { return logical_->conditions(); }  // VK_EXT_conditional_rendering
  bool statistics() const { return logical_->statistics(); }  // of compiled pipelines: with compile_only alone
  bool is_lost() const { return logical_->is_lost(); }
  std::uint64_t memory_bytes() const { return memory_bytes_; }  // allocated now, staging included

  // Submissions run in order. Most users call Graph::submit.
  Ticket submit(VkCommandBuffer commands, const Semaphores& semaphores = {}, std::uint32_t times = 1);
  Ticket last_ticket() const { return submitted_; }
  bool done(Ticket ticket);
  void wait(Ticket ticket);  // throws DeviceLost
  void wait_idle() { wait(submitted_); }
  void drain() noexcept;  // wait_idle() for destructors: a lost device uses nothing any more

  // Reaches the number of a ticket with the end of its submission.
  VkSemaphore timeline() const { return timeline_; }
  // The next submission, and with it all after it, waits until the semaphore's counter has reached the value. What is
  // destroyed before that submission stays until its end.
  void wait_before_next(const TimelinePoint& point);
  // Families of queues that use the buffers; one or none: that of the queue alone.
  std::span<const std::uint32_t> families() const { return logical_->families(); }
  bool exports_memory() const { return logical_->exports_memory(); }
  bool exports_timeline() const { return logical_->exports_timeline(); }
  // A file descriptor of the timeline, the caller's to close or to give away. Throws Error where there is none.
  int export_timeline() const;

  // The name of a pass for reports and tools; the same name gives the same label.
  Label label(std::string_view name);
  const std::string& label_name(Label label) const { return labels_[label.id]; }

  VkDevice handle() const { return logical_->handle(); }
  VkPhysicalDevice physical() const { return info().handle; }
  VkQueue queue() const { return logical_->queue(); }
  std::uint32_t queue_family() const { return logical_->queue_family(); }
  const VkPhysicalDeviceLimits& limits() const { return info().limits.core; }
  std::uint32_t timestamp_bits() const { return logical_->timestamp_bits(); }  // 0: it has no timestamps

  // For the rest of this folder.
  struct Memory {
    VkDeviceMemory handle = VK_NULL_HANDLE;
    std::uint64_t bytes = 0;
    std::uint32_t heap = 0;
  };
  enum class MemoryKind { device, upload, readback };
  // exported: the buffer whose memory can be exported.
  Memory allocate(const VkMemoryRequirements& need, MemoryKind kind, std::string_view what,
                  VkBuffer exported = VK_NULL_HANDLE);
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
  void set_name(VkObjectType type, std::uint64_t handle, const std::string& name) const;
  Tracker& tracker() { return tracker_; }
  const void* recording() const { return recording_; }  // the graph with passes not yet submitted
  void set_recording(const void* graph) { recording_ = graph; }

private:
  std::shared_ptr<LogicalDevice> logical_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  Ticket submitted_ = 0, completed_ = 0;
  std::vector<TimelinePoint> waits_;  // of the next submission

  std::uint64_t memory_bytes_ = 0;
  std::vector<VkDescriptorPool> descriptor_pools_;
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

  void make_timeline();
  void wait_for_readers() noexcept;
  [[noreturn]] void lost();
  std::uint32_t memory_type(std::uint32_t allowed, MemoryKind kind) const;
};

}  // namespace talus::gpu
