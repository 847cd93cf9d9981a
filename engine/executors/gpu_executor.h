#pragma once
// The passes as compute shaders on a Vulkan device.
#include "engine/core/executor.h"
#include "engine/executors/open_devices.h"
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace talus {

// On the best real GPU of this machine that opens; null where Vulkan or a GPU that Talus can use is missing. Adds a
// note, a sentence, for each GPU that did not open.
std::unique_ptr<Executor> make_real_gpu_executor(Options options, std::vector<std::string>& notes);

class GpuExecutor final : public Executor {
public:
  explicit GpuExecutor(const Options& options);
  const std::vector<std::string>& passed_over() const { return open_->passed_over; }  // devices that did not open
  ~GpuExecutor() override;

  void specialize(const Features& features) override;
  void run(Pass pass, Work work, const Args& args) override;
  // Runs the elements [first, end) of the pass alone, where both are the bounds of workgroups or `end` is the last. No
  // gate is looked at.
  void run_range(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args);
  void repeat(std::uint32_t times, const std::function<void()>& passes) override;
  void behind(std::uint32_t gate, const std::function<void()>& passes) override;
  void swap(FieldId id) override;
  void copy(FieldCopy from, FieldCopy to) override;
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) override;
  bool defers() const override { return true; }
  void submit() override;
  bool done() override;
  void finish() override;
  void keep(FieldCopy field, std::size_t elements) override;
  std::span<const std::byte> kept(FieldCopy field) const override { return kept_.at(field).mapped(); }
  void resize(FieldId id, std::size_t elements) override;
  std::size_t size(FieldId id) const override;
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) override;
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) override;
  // Bytes of fields, each at its offset in the field. read() waits for the device once, write() does not wait.
  struct Stretch {
    FieldCopy field;
    std::size_t offset = 0;  // bytes
    std::span<std::byte> bytes;
  };
  void read(std::span<const Stretch> stretches);
  void write(std::span<const Stretch> stretches);
  std::vector<PassTime> pass_times() const override;
  DeviceSummary device() const override;
  // For graphs of others, which cannot record while this one holds passes back.
  gpu::Device* gpu_device() override {
    submit();
    return &open_->device;
  }
  gpu::Buffer* gpu_buffer(FieldId id) override {
    submit();
    return &buffer(id);
  }

  // Passes are written down while that is on.
  void set_trace(bool on) { graph_->set_trace(on); }
  std::vector<gpu::PassRecord> take_trace() { return graph_->take_trace(); }

private:
  struct BoundPass {
    const PassProgram* program = nullptr;
    std::vector<gpu::Buffer*> buffers;  // in the order of its bindings
  };

  std::shared_ptr<OpenDevices> devices_;  // where the device goes in the end; null: its owners close it
  std::shared_ptr<OpenDevice> open_;
  std::array<std::array<gpu::Buffer, copies.size()>, field_count> buffers_;  // copies as in Copy
  std::array<std::size_t, field_count> sizes_{};
  std::map<FieldCopy, gpu::Buffer> kept_;
  Features features_;
  // By the pass, the field of passes of fields (of others any), and where dispatches start.
  std::map<std::tuple<Pass, FieldId, gpu::Starts>, BoundPass> passes_;
  std::uint64_t reloads_ = 0;  // of open_, that passes_ know
  std::unique_ptr<gpu::Graph> graph_;
  gpu::Ticket submitted_ = 0;  // the last of this graph

  // That a field lies in: a tail has its header's.
  gpu::Buffer& buffer(FieldCopy field) {
    return buffers_[static_cast<std::size_t>(info(field.id).header.value_or(field.id))]
                   [static_cast<std::size_t>(field.copy)];
  }
  // Bytes from the buffer's start to the field.
  static std::size_t offset_of(FieldId id) { return info(id).header ? info(*info(id).header).stride : 0; }
  BoundPass& bound(Pass pass, FieldId followed, gpu::Starts starts = gpu::Starts::at_first);
  std::vector<gpu::Piece> pieces_of(std::span<const Stretch> stretches);
};

}  // namespace talus
