#pragma once
// The CPU path: the reference passes or, where there are, their vectorised versions, parallel over elements.
#include "engine/core/executor.h"
#include "engine/core/fields.h"
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <vector>

namespace talus {

// The slices [first, end).
struct SliceRun {
  std::uint32_t first = 0, end = 0;
  std::uint32_t count() const { return end - first; }
  bool operator==(const SliceRun&) const = default;
};

// Every pass is the same for any partition, so any number of threads gives the same bits.
class CpuExecutor final : public Executor {
public:
  CpuExecutor(int threads, int lanes);

  void run(Pass pass, Work work, const Args& args) override;
  // Elements of the pass that the gate leaves of so many.
  std::uint32_t elements_of(Pass pass, Work work) const;
  // The elements of these runs of slices alone, those below `elements`.
  void run_slices(Pass pass, std::span<const SliceRun> runs, std::uint32_t elements, const Args& args);
  // The elements [first, end) of the pass.
  void run_elements(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args);
  Fields& fields() { return fields_; }

  void swap(FieldId id) override { fields_.swap(id); }
  void copy(FieldCopy from, FieldCopy to) override;
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) override;
  void finish() override {}
  void keep(FieldCopy field, std::size_t elements) override;
  std::span<const std::byte> kept(FieldCopy field) const override;
  void resize(FieldId id, std::size_t elements) override;
  std::size_t size(FieldId id) const override;
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) override;
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) override;
  std::shared_ptr<const std::byte> hold(FieldId id) override;
  std::vector<PassTime> pass_times() const override;
  DeviceSummary device() const override;
  int threads() const { return arena_.max_concurrency(); }

private:
  PassFunctions passes_;
  Fields fields_;
  std::map<FieldCopy, std::vector<std::byte>> kept_;
  std::optional<tbb::global_control> more_workers_;
  mutable tbb::task_arena arena_;
  std::array<PassTime, pass_count> times_;
};

}  // namespace talus
