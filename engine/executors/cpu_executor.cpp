#include "engine/core/executor.h"
#include "engine/cpu/passes.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace talus {
namespace {

constexpr PassFunctions references{
#define X(name, ...) reference::name,
    TALUS_PASSES(X)
#undef X
};

// Elements that a task takes at least: below this, handing out work costs more than doing it.
constexpr std::uint32_t grain_of(Unit unit) {
  return unit == Unit::group ? 16 : 256;
}

// The reference passes or, where there are, their vectorised versions, parallel over elements. Every pass is the same
// for any partition, so any number of threads gives the same bits.
class CpuExecutor final : public Executor {
public:
  CpuExecutor(int threads, CpuPasses passes)
      : passes_(passes == CpuPasses::reference
                    ? references
                    : cpu::vectorised(references, passes == CpuPasses::fastest && cpu::runs_avx512())),
        arena_(threads > 0 ? threads : tbb::task_arena::automatic) {
    if (threads > tbb::info::default_concurrency())  // more than TBB starts by itself
      more_workers_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }

  void run(Pass pass, Work work, const Args& args) override {
    if (work.elements == 0)
      return;
    PassTime& time = times_[static_cast<std::size_t>(pass)];
    time.calls += 1;
    if (work.gate < gates_total) {
      TALUS_ASSERT(fields_.gates.size() == gates_total, fields_.gates.size());
      const Dispatch& open = fields_.gates[work.gate];
      const std::uint32_t each = info(pass).unit == Unit::thread ? group_size : 1;
      work.elements = std::min(work.elements, open.x * open.y * each);
      if (work.elements == 0)
        return;
    }
    const auto begin = std::chrono::steady_clock::now();
    const PassFunction function = passes_[static_cast<std::size_t>(pass)];
    TALUS_ASSERT(function, pass);
    const std::uint32_t grain = grain_of(info(pass).unit);
    if (work.elements <= grain) {
      function(args, fields_, 0, work.elements);
    } else {
      // Cut between slices alone.
      const std::uint32_t slices = (work.elements + slice_grains - 1) / slice_grains;
      arena_.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, slices, grain / slice_grains), [&](const auto& range) {
          const std::uint32_t first = range.begin() * slice_grains,
                              last = std::min(range.end() * slice_grains, work.elements);
          TALUS_ASSERT(first < last && last <= work.elements, first, last, work.elements);
          function(args, fields_, first, last);
        });
      });
    }
    time.ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  void swap(FieldId id) override { fields_.swap(id); }
  void copy(FieldCopy from, FieldCopy to) override {
    const auto source = fields_.bytes(from), target = fields_.bytes(to);
    TALUS_ASSERT(source.size() == target.size(), from.id, to.id, source.size(), target.size());
    std::ranges::copy(source, target.begin());
  }
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) override {
    TALUS_ASSERT(from_offset + bytes <= fields_.bytes(from).size(), from, from_offset, bytes,
                 fields_.bytes(from).size());
    TALUS_ASSERT(to_offset + bytes <= fields_.bytes(to).size(), to, to_offset, bytes, fields_.bytes(to).size());
    TALUS_ASSERT(from != to || from_offset + bytes <= to_offset || to_offset + bytes <= from_offset, from_offset,
                 to_offset, bytes);
    const auto source = fields_.bytes(from).subspan(from_offset, bytes);
    std::ranges::copy(source, fields_.bytes(to).subspan(to_offset, bytes).begin());
  }
  void finish() override {}
  void keep(FieldCopy field, std::size_t elements) override {
    TALUS_ASSERT(elements <= size(field.id), field.id, elements, size(field.id));
    const auto bytes = fields_.bytes(field).first(elements * info(field.id).stride);
    kept_[field].assign(bytes.begin(), bytes.end());
  }
  std::span<const std::byte> kept(FieldCopy field) const override {
    TALUS_ASSERT(kept_.contains(field), field.id, field.copy);
    return kept_.at(field);
  }

  void resize(FieldId id, std::size_t elements) override {
    try {
      fields_.resize(id, elements);
      if (id == FieldId::contact_count)
        fields_.contact_found.resize(elements * Fields::found_most);
    } catch (const std::bad_alloc&) {
      throw ResourceError(fmt::format("field {} needs {:.1f} MB, which this machine's memory does not hold",
                                      info(id).name, static_cast<double>(elements * info(id).stride) * 1e-6));
    }
  }
  std::size_t size(FieldId id) const override {
    return const_cast<Fields&>(fields_).bytes(id).size() / info(id).stride;
  }
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) override {
    TALUS_ASSERT(offset + bytes.size() <= fields_.bytes(field).size(), field.id, offset, bytes.size(),
                 fields_.bytes(field).size());
    std::ranges::copy(bytes, fields_.bytes(field).subspan(offset).begin());
  }
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) override {
    TALUS_ASSERT(offset + bytes.size() <= fields_.bytes(field).size(), field.id, offset, bytes.size(),
                 fields_.bytes(field).size());
    std::ranges::copy(fields_.bytes(field).subspan(offset, bytes.size()), bytes.begin());
  }

  std::shared_ptr<const std::byte> hold(FieldId id) override {
    const auto bytes = fields_.bytes(id);
    return bytes.empty() ? nullptr : hold_column(bytes.data());
  }

  std::vector<PassTime> pass_times() const override {
    std::vector<PassTime> times(times_.begin(), times_.end());
    for (std::size_t p = 0; p < pass_count; ++p)
      times[p].name = pass_infos[p].name;
    return times;
  }
  DeviceSummary device() const override {
    return {"CPU", fmt::format("Talus reference, {} threads", arena_.max_concurrency()), "", "CPU path"};
  }

private:
  PassFunctions passes_;
  Fields fields_;
  std::map<FieldCopy, std::vector<std::byte>> kept_;
  std::optional<tbb::global_control> more_workers_;
  mutable tbb::task_arena arena_;
  std::array<PassTime, pass_count> times_;
};

}  // namespace

Fields fields_of(Executor& executor, std::initializer_list<FieldId> ids) {
  Fields fields;
  for (const FieldId id : ids) {
    fields.resize(id, executor.size(id));
    executor.read(id, fields.bytes(id));
  }
  return fields;
}

std::unique_ptr<Executor> make_cpu_executor(int threads, CpuPasses passes) {
  return std::make_unique<CpuExecutor>(threads, passes);
}

}  // namespace talus
