#pragma once
// Runs the passes of a rank on the CPU path or on a Vulkan device.
//
// With a device each field lies twice: in the device's memory, where passes run, and in the host's, where the rank
// sends and receives and looks at lists. Of each field and copy this class knows which of the two is up to date. It
// copies the field to the device before a pass reads it there, and to the host where on_host() asks for it. Without a
// device all functions that copy do nothing.
#include "engine/executors/cpu_executor.h"
#include "engine/executors/gpu_executor.h"
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace talus::mpi {

// The fields that a pass reads and writes.
struct Access {
  std::vector<FieldCopy> reads, writes;
};

// The bytes [first, first + count) of a field.
struct Stretch {
  FieldCopy field;
  std::size_t first = 0, count = 0;
};

class RankExecutor {
public:
  // device: null for the CPU path, which has so many threads and lanes.
  RankExecutor(int threads, int lanes, std::unique_ptr<GpuExecutor> device);

  bool on_device() const { return device_ != nullptr; }
  // Number of the device on its machine; -1: the CPU path.
  int device_index();

  void specialize(const Features& features);
  // The elements of the pass that its gate leaves of so many. With a device, all elements of passes over listed slices
  // count, since only the device knows how many it has listed.
  std::uint32_t elements_of(Pass pass, Work work);
  void run(Pass pass, Work work, const Args& args, const Access& access);
  // Runs the elements of these runs of slices alone, those below `elements`. A run starts at the first grain of a
  // workgroup.
  void run_slices(Pass pass, std::span<const SliceRun> runs, std::uint32_t elements, const Args& args,
                  const Access& access);
  // Runs the elements [first, end) of a pass over slices.
  void run_elements(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args, const Access& access);

  void swap(FieldId id);
  void copy(FieldCopy from, FieldCopy to);
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes);
  void keep(FieldCopy field, std::size_t elements);
  std::span<const std::byte> kept(FieldCopy field) const { return host_.kept(field); }
  void resize(FieldId id, std::size_t elements);
  std::size_t size(FieldId id) const { return host_.size(id); }
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset);
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset);
  std::shared_ptr<const std::byte> hold(FieldId id) { return on_device() ? nullptr : host_.hold(id); }
  std::vector<PassTime> pass_times() const { return on_device() ? device_->pass_times() : host_.pass_times(); }
  DeviceSummary device() const { return on_device() ? device_->device() : host_.device(); }

  // The host's fields, of which these are up to date.
  Fields& on_host(std::span<const FieldCopy> fields);
  Fields& on_host(std::initializer_list<FieldCopy> fields) { return on_host(std::span(fields.begin(), fields.size())); }
  // The host's fields as they lie there.
  Fields& fields() { return host_.fields(); }
  std::span<std::byte> bytes(FieldCopy field) { return host_.fields().bytes(field); }
  // The host has written to these fields, which on_host() gave before.
  void written_on_host(std::initializer_list<FieldCopy> fields);
  // Copies these stretches to the host, and the stretches that the host has written to the device.
  void pull(std::span<const Stretch> stretches);
  void push(std::span<const Stretch> stretches);
  // The host has all of the field: by pull() and push() together.
  void set_same(FieldCopy field);
  // Sets whole words of a field to 0.
  void clear(std::span<const Stretch> stretches);

private:
  enum class Newest { both, host, device };
  Newest& newest(FieldCopy field) {
    return newest_[static_cast<std::size_t>(field.id)][static_cast<std::size_t>(field.copy)];
  }
  void to_device(std::span<const FieldCopy> fields);
  void before(const Access& access);
  void after(const Access& access);
  GpuExecutor::Stretch bytes_of(const Stretch& stretch);

  CpuExecutor host_;
  std::unique_ptr<GpuExecutor> device_;
  std::array<std::array<Newest, copies.size()>, field_count> newest_{};
};

}  // namespace talus::mpi
