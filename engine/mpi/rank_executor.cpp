#include "engine/mpi/rank_executor.h"
#include "engine/gpu/device.h"
#include <algorithm>

namespace talus::mpi {
namespace {

// The host looks at these often. Where it fetches one of them, it fetches all that have changed in one submission.
constexpr std::array looked_at{FieldId::gates, FieldId::status, FieldId::worlds, FieldId::body_sums,
                               FieldId::body_contacts};
constexpr std::size_t looked_at_most = 1 << 16;  // bytes of a field that is fetched with others

}  // namespace

RankExecutor::RankExecutor(int threads, int lanes, std::unique_ptr<GpuExecutor> device)
    : host_(threads, lanes), device_(std::move(device)) {}

int RankExecutor::device_index() {
  return on_device() ? static_cast<int>(device_->gpu_device()->info().index) : -1;
}

void RankExecutor::specialize(const Features& features) {
  if (on_device())
    device_->specialize(features);
}

std::uint32_t RankExecutor::elements_of(Pass pass, Work work) {
  if (on_device() && work.gate == gate_listed)
    return work.elements;
  if (work.elements > 0 && work.gate < gates_total)
    on_host({FieldId::gates});
  return host_.elements_of(pass, work);
}

void RankExecutor::before(const Access& access) {
  to_device(access.reads);
  to_device(access.writes);  // A pass may leave a part of what it writes as it is.
}

void RankExecutor::after(const Access& access) {
  for (const FieldCopy field : access.writes)
    newest(field) = Newest::device;
}

void RankExecutor::run(Pass pass, Work work, const Args& args, const Access& access) {
  if (!on_device())
    return host_.run(pass, work, args);
  before(access);
  device_->run(pass, work, args);
  after(access);
}

void RankExecutor::run_slices(Pass pass, std::span<const SliceRun> runs, std::uint32_t elements, const Args& args,
                              const Access& access) {
  if (!on_device())
    return host_.run_slices(pass, runs, elements, args);
  if (elements == 0)
    return;
  before(access);
  for (const SliceRun& run : runs)
    device_->run_range(pass, run.first * slice_grains, std::min(run.end * slice_grains, elements), args);
  after(access);
}

void RankExecutor::run_elements(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args,
                                const Access& access) {
  if (!on_device())
    return host_.run_elements(pass, first, end, args);
  before(access);
  device_->run_range(pass, first, end, args);
  after(access);
}

void RankExecutor::swap(FieldId id) {
  host_.swap(id);
  if (on_device())
    device_->swap(id);
  std::swap(newest(id), newest({id, Copy::next}));
}

void RankExecutor::copy(FieldCopy from, FieldCopy to) {
  newest(to) = newest(from);
  if (on_device() && newest(from) != Newest::host)
    device_->copy(from, to);
  if (newest(from) != Newest::device)
    host_.copy(from, to);
}

void RankExecutor::copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset,
                             std::size_t bytes) {
  if (!on_device())
    return host_.copy_part(from, from_offset, to, to_offset, bytes);
  const std::array<FieldCopy, 2> both{from, to};
  to_device(both);
  device_->copy_part(from, from_offset, to, to_offset, bytes);
  newest(to) = Newest::device;
}

void RankExecutor::keep(FieldCopy field, std::size_t elements) {
  const Stretch kept{field, 0, elements * info(field.id).stride};
  pull({&kept, 1});
  host_.keep(field, elements);
}

void RankExecutor::resize(FieldId id, std::size_t elements) {
  host_.resize(id, elements);
  if (on_device())
    device_->resize(id, elements);
}

void RankExecutor::write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) {
  host_.write(field, bytes, offset);
  if (on_device() && newest(field) != Newest::host)
    device_->write(field, bytes, offset);
}

void RankExecutor::read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) {
  const Stretch read{field, offset, bytes.size()};
  pull({&read, 1});
  host_.read(field, bytes, offset);
}

Fields& RankExecutor::on_host(std::span<const FieldCopy> fields) {
  std::vector<Stretch> due;
  const auto fetch = [&](FieldCopy field, std::size_t most) {
    const std::size_t count = bytes(field).size();
    if (newest(field) != Newest::device || count > most)
      return;
    due.push_back({field, 0, count});
  };
  for (const FieldCopy field : fields)
    fetch(field, ~std::size_t{0});
  if (due.empty())
    return host_.fields();
  for (const FieldId id : looked_at)
    if (std::ranges::find(fields, FieldCopy(id)) == fields.end())
      fetch(id, looked_at_most);
  pull(due);
  for (const Stretch& stretch : due)
    newest(stretch.field) = Newest::both;
  return host_.fields();
}

void RankExecutor::written_on_host(std::initializer_list<FieldCopy> fields) {
  if (on_device())
    for (const FieldCopy field : fields)
      newest(field) = Newest::host;
}

void RankExecutor::to_device(std::span<const FieldCopy> fields) {
  std::vector<Stretch> due;
  for (const FieldCopy field : fields)
    if (newest(field) == Newest::host) {
      newest(field) = Newest::both;
      due.push_back({field, 0, bytes(field).size()});
    }
  push(due);
}

GpuExecutor::Stretch RankExecutor::bytes_of(const Stretch& stretch) {
  return {stretch.field, stretch.first, bytes(stretch.field).subspan(stretch.first, stretch.count)};
}

void RankExecutor::pull(std::span<const Stretch> stretches) {
  std::vector<GpuExecutor::Stretch> due;
  for (const Stretch& stretch : stretches)
    if (newest(stretch.field) == Newest::device)
      due.push_back(bytes_of(stretch));
  if (!due.empty())
    device_->read(due);
}

void RankExecutor::push(std::span<const Stretch> stretches) {
  std::vector<GpuExecutor::Stretch> due;
  if (on_device())
    for (const Stretch& stretch : stretches)
      if (newest(stretch.field) != Newest::host)
        due.push_back(bytes_of(stretch));
  if (!due.empty())
    device_->write(due);
}

void RankExecutor::set_same(FieldCopy field) {
  if (newest(field) == Newest::device)
    newest(field) = Newest::both;
}

void RankExecutor::clear(std::span<const Stretch> stretches) {
  for (const Stretch& stretch : stretches)
    std::ranges::fill(bytes(stretch.field).subspan(stretch.first, stretch.count), std::byte{0});
  push(stretches);
}

}  // namespace talus::mpi
