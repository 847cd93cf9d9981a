#include "engine/executors/cpu_executor.h"
#include "engine/cpu/passes.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

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

}  // namespace

CpuExecutor::CpuExecutor(int threads, int lanes)
    : passes_(lanes == 1 ? references : cpu::vectorised(references, lanes)),
      arena_(threads > 0 ? threads : tbb::task_arena::automatic) {
  if (threads > tbb::info::default_concurrency())  // more than TBB starts by itself
    more_workers_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
}

std::uint32_t CpuExecutor::elements_of(Pass pass, Work work) const {
  if (work.elements == 0 || work.gate >= gates_total)
    return work.elements;
  TALUS_ASSERT(fields_.gates.size() == gates_total, fields_.gates.size());
  const Dispatch& open = fields_.gates[work.gate];
  const std::uint32_t each = group_size / threads_of(info(pass).unit);
  return std::min(work.elements, open.x * open.y * each);
}

void CpuExecutor::run(Pass pass, Work work, const Args& args) {
  if (work.elements == 0)
    return;
  const std::uint32_t elements = elements_of(pass, work);
  const SliceRun all{0, (elements + slice_grains - 1) / slice_grains};
  run_slices(pass, std::span(&all, 1), elements, args);
}

void CpuExecutor::run_slices(Pass pass, std::span<const SliceRun> runs, std::uint32_t elements, const Args& args) {
  PassTime& time = times_[static_cast<std::size_t>(pass)];
  time.calls += 1;
  if (elements == 0)
    return;
  const auto begin = std::chrono::steady_clock::now();
  const PassFunction function = passes_[static_cast<std::size_t>(pass)];
  TALUS_ASSERT(function, pass);
  const std::uint32_t grain = grain_of(info(pass).unit);
  const auto part = [&](std::uint32_t first_slice, std::uint32_t end_slice) {
    const std::uint32_t first = first_slice * slice_grains, last = std::min(end_slice * slice_grains, elements);
    if (first < last)
      function(args, fields_, first, last);
  };
  if (elements <= grain) {
    for (const SliceRun& run : runs)
      part(run.first, run.end);
  } else {
    // The runs one after another, cut between slices alone.
    std::vector<std::uint32_t> before{0};  // slices of the runs before each
    for (const SliceRun& run : runs)
      before.push_back(before.back() + run.count());
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::uint32_t>(0, before.back(), grain / slice_grains), [&](const auto& range) {
            auto k = static_cast<std::size_t>(std::ranges::upper_bound(before, range.begin()) - before.begin() - 1);
            for (std::uint32_t at = range.begin(); at < range.end(); ++k) {
              const std::uint32_t end = std::min(range.end(), before[k + 1]);
              part(runs[k].first + (at - before[k]), runs[k].first + (end - before[k]));
              at = end;
            }
          });
    });
  }
  time.ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void CpuExecutor::run_elements(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args) {
  const std::uint32_t grain = grain_of(info(pass).unit);
  const PassFunction function = passes_[static_cast<std::size_t>(pass)];
  if (first >= end)
    return;
  if (end - first <= grain)
    return function(args, fields_, first, end);
  arena_.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(first, end, grain),
                      [&](const auto& range) { function(args, fields_, range.begin(), range.end()); });
  });
}

void CpuExecutor::copy(FieldCopy from, FieldCopy to) {
  const auto source = fields_.bytes(from), target = fields_.bytes(to);
  TALUS_ASSERT(source.size() == target.size(), from.id, to.id, source.size(), target.size());
  std::ranges::copy(source, target.begin());
}

void CpuExecutor::copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset,
                            std::size_t bytes) {
  TALUS_ASSERT(from_offset + bytes <= fields_.bytes(from).size(), from, from_offset, bytes, fields_.bytes(from).size());
  TALUS_ASSERT(to_offset + bytes <= fields_.bytes(to).size(), to, to_offset, bytes, fields_.bytes(to).size());
  TALUS_ASSERT(from != to || from_offset + bytes <= to_offset || to_offset + bytes <= from_offset, from_offset,
               to_offset, bytes);
  const auto source = fields_.bytes(from).subspan(from_offset, bytes);
  std::ranges::copy(source, fields_.bytes(to).subspan(to_offset, bytes).begin());
}

void CpuExecutor::keep(FieldCopy field, std::size_t elements) {
  TALUS_ASSERT(elements <= size(field.id), field.id, elements, size(field.id));
  const auto bytes = fields_.bytes(field).first(elements * info(field.id).stride);
  kept_[field].assign(bytes.begin(), bytes.end());
}

std::span<const std::byte> CpuExecutor::kept(FieldCopy field) const {
  TALUS_ASSERT(kept_.contains(field), field.id, field.copy);
  return kept_.at(field);
}

void CpuExecutor::resize(FieldId id, std::size_t elements) {
  try {
    fields_.resize(id, elements);
    if (id == FieldId::contact_count)
      resize_column(fields_.contact_found, elements * Fields::found_most);
  } catch (const std::bad_alloc&) {
    throw ResourceError(fmt::format("field {} needs {:.1f} MB, which this machine's memory does not hold",
                                    info(id).name, static_cast<double>(elements * info(id).stride) * 1e-6));
  }
}

std::size_t CpuExecutor::size(FieldId id) const {
  return const_cast<Fields&>(fields_).bytes(id).size() / info(id).stride;
}

void CpuExecutor::write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) {
  TALUS_ASSERT(offset + bytes.size() <= fields_.bytes(field).size(), field.id, offset, bytes.size(),
               fields_.bytes(field).size());
  std::ranges::copy(bytes, fields_.bytes(field).subspan(offset).begin());
}

void CpuExecutor::read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) {
  TALUS_ASSERT(offset + bytes.size() <= fields_.bytes(field).size(), field.id, offset, bytes.size(),
               fields_.bytes(field).size());
  std::ranges::copy(fields_.bytes(field).subspan(offset, bytes.size()), bytes.begin());
}

std::shared_ptr<const std::byte> CpuExecutor::hold(FieldId id) {
  const auto bytes = fields_.bytes(id);
  return bytes.empty() ? nullptr : hold_column(bytes.data());
}

std::vector<PassTime> CpuExecutor::pass_times() const {
  std::vector<PassTime> times(times_.begin(), times_.end());
  for (std::size_t p = 0; p < pass_count; ++p)
    times[p].name = pass_infos[p].name;
  return times;
}

DeviceSummary CpuExecutor::device() const {
  return {"CPU", fmt::format("Talus reference, {} threads", arena_.max_concurrency()), "", "CPU path"};
}

Fields fields_of(Executor& executor, std::initializer_list<FieldId> ids) {
  Fields fields;
  for (const FieldId id : ids) {
    fields.resize(id, executor.size(id));
    executor.read(id, fields.bytes(id));
  }
  return fields;
}

std::unique_ptr<Executor> make_cpu_executor(int threads, int lanes) {
  return std::make_unique<CpuExecutor>(threads, lanes);
}

}  // namespace talus
