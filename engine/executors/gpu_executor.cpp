#include "engine/executors/gpu_executor.h"
#include "engine/executors/translated.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace talus {

std::unique_ptr<Executor> make_real_gpu_executor(Options options, std::vector<std::string>& notes) {
  std::vector<gpu::DeviceInfo> devices;
  try {
    gpu::Instance instance;
    devices = gpu::list_devices(instance);
  } catch (const gpu::NoDevice&) {  // no Vulkan here
  } catch (const gpu::Error& e) {
    notes.emplace_back(e.what());
  }
  for (const gpu::DeviceInfo& device : devices) {
    if (!device.usable || !device.gpu)
      continue;
    options.device = std::to_string(device.index);
    try {
      return std::make_unique<GpuExecutor>(options);
    } catch (const std::runtime_error& e) {  // DeviceError, and ResourceError where it has no memory left
      notes.push_back(fmt::format("Device {} ({}) is passed over. {}", device.index, device.name, e.what()));
    }
  }
  return nullptr;
}

GpuExecutor::GpuExecutor(const Options& options) : devices_(options.on ? nullptr : options.devices) {
  translated([&] {
    open_ = options.on ? options.on : devices_ ? devices_->take(options) : std::make_shared<OpenDevice>(options);
    for (std::size_t f = 0; f < field_count; ++f)
      resize(static_cast<FieldId>(f), 0);
    graph_ = std::make_unique<gpu::Graph>(open_->device, gpu::GraphOptions{.timing = options.timing});
  });
}

GpuExecutor::~GpuExecutor() {
  graph_.reset();
  buffers_ = {};
  kept_.clear();
  if (devices_ && open_)
    devices_->leave(std::move(open_));
}

void GpuExecutor::specialize(const Features& features) {
  features_ = features;
  passes_ = {};
}

GpuExecutor::BoundPass& GpuExecutor::bound(Pass pass, FieldId followed, gpu::Starts starts) {
  if (std::exchange(reloads_, open_->reloads()) != open_->reloads())
    passes_ = {};
  BoundPass& bound = passes_[{pass, followed, starts}];
  if (!bound.program)
    translated([&] {
      bound.program = &open_->program(pass, features_, starts);
      const gpu::Reflection& shader = bound.program->pipeline->reflection();
      for (const BoundField& binding : bound_fields(pass, shader.buffers, followed))
        bound.buffers.push_back(&buffer(binding.field));
    });
  return bound;
}

void GpuExecutor::run(Pass pass, Work work, const Args& args) {
  if (work.elements == 0)
    return;
  if (info(pass).unit == Unit::serial)
    throw DeviceError(fmt::format("pass {} runs on the CPU only: use --device cpu", info(pass).name));
  translated([&] {
    const BoundPass& bound = this->bound(pass, static_cast<FieldId>(args.followed.field));
    const std::uint64_t threads = std::uint64_t{work.elements} * threads_of(info(pass).unit);
    const gpu::Work size = work.gate < gates_total
                               ? gpu::Work::indirect(buffer(FieldId::gates), work.gate * sizeof(Dispatch))
                               : gpu::Work::elements(threads);
    graph_->compute(*bound.program->pipeline, bound.buffers, args, size);
  });
}

void GpuExecutor::run_range(Pass pass, std::uint32_t first, std::uint32_t end, const Args& args) {
  const std::uint64_t each = threads_of(info(pass).unit);
  TALUS_ASSERT(first * each % group_size == 0, pass, first);
  if (first >= end)
    return;
  translated([&] {
    const BoundPass& bound = this->bound(pass, static_cast<FieldId>(args.followed.field), gpu::Starts::anywhere);
    graph_->compute(*bound.program->pipeline, bound.buffers, args,
                    gpu::Work::range(first * each / group_size, (end * each + group_size - 1) / group_size));
  });
}

// Passes that are timed are recorded each time, as are those that a trace wants to see.
void GpuExecutor::repeat(std::uint32_t times, const std::function<void()>& passes) {
  if (times < 2 || graph_->timing() || graph_->tracing())
    return Executor::repeat(times, passes);
  const auto fields_now = [this] {
    std::array<std::uint64_t, field_count> ids;  // no copy is exchanged but with the field itself
    std::ranges::transform(buffers_, ids.begin(), [](const auto& of_field) { return of_field.front().id; });
    return ids;
  };
  const auto fields_before = fields_now();
  passes();  // compiles what is new, and fills what is filled once
  // What is repeated leaves no two fields exchanged.
  const std::uint32_t unit = fields_now() == fields_before ? 1 : 2;
  for (std::uint32_t rest = (times - 1) % unit; rest > 0; --rest)
    passes();
  if (const std::uint32_t rounds = (times - 1) / unit; rounds > 0)
    translated([&] {
      graph_->repeat(rounds, [&] {
        for (std::uint32_t k = 0; k < unit; ++k)
          passes();
      });
    });
}

void GpuExecutor::behind(std::uint32_t gate, const std::function<void()>& passes) {
  translated([&] { graph_->begin_condition(buffer(FieldId::gates), gate * sizeof(Dispatch)); });
  passes();
  translated([&] { graph_->end_condition(); });
}

void GpuExecutor::swap(FieldId id) {
  TALUS_ASSERT(info(id).doubled, id);
  gpu::Buffer &now = buffer(id), &next = buffer({id, Copy::next});
  TALUS_ASSERT(now.bytes() == next.bytes(), id, now.bytes(), next.bytes());
  std::swap(now, next);
  std::swap(now.name, next.name);  // names stay with the role
}

void GpuExecutor::copy(FieldCopy from, FieldCopy to) {
  TALUS_ASSERT(has_copy(info(from.id), from.copy), from.id, from.copy);
  TALUS_ASSERT(has_copy(info(to.id), to.copy), to.id, to.copy);
  TALUS_ASSERT(!info(from.id).header && !info(to.id).header, from.id, to.id);
  TALUS_ASSERT(buffer(from).bytes() == buffer(to).bytes(), from.id, to.id, buffer(from).bytes(), buffer(to).bytes());
  if (size(from.id) > 0)
    translated([&] { graph_->copy(buffer(from), buffer(to)); });
}

void GpuExecutor::copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset,
                            std::size_t bytes) {
  TALUS_ASSERT(from_offset + bytes <= size(from) * info(from).stride, from, from_offset, bytes, size(from));
  TALUS_ASSERT(to_offset + bytes <= size(to) * info(to).stride, to, to_offset, bytes, size(to));
  TALUS_ASSERT(from != to || from_offset + bytes <= to_offset || to_offset + bytes <= from_offset, from_offset,
               to_offset, bytes);
  if (bytes > 0)
    translated([&] {
      graph_->copy(buffer(from), buffer(to), bytes, offset_of(from) + from_offset, offset_of(to) + to_offset);
    });
}

void GpuExecutor::submit() {
  if (graph_->recording())
    submitted_ = translated([&] { return graph_->submit(); });
}

bool GpuExecutor::done() {
  return translated([&] { return open_->device.done(submitted_); });
}

// Does not wait for what others have submitted since.
void GpuExecutor::finish() {
  submit();
  translated([&] { open_->device.wait(submitted_); });
}

void GpuExecutor::keep(FieldCopy field, std::size_t elements) {
  TALUS_ASSERT(elements <= size(field.id), field.id, elements, size(field.id));
  if (elements == 0)
    return;
  translated([&] {
    const std::size_t bytes = elements * info(field.id).stride;
    gpu::Buffer& kept = kept_[field];
    if (kept.bytes() < bytes)
      kept = gpu::Buffer(open_->device, fmt::format("{} kept", name_of(field)), bytes, gpu::Buffer::Kind::readback);
    graph_->copy(buffer(field), kept, bytes, offset_of(field.id));
  });
}

void GpuExecutor::resize(FieldId id, std::size_t elements) {
  translated([&] {
    const std::size_t stride = info(id).stride, before = offset_of(id),
                      kept = before + std::min(size(id), elements) * stride;
    for (std::size_t f = 0; f < field_count; ++f)  // a header gets its size before its tail does
      TALUS_ASSERT(field_infos[f].header != id || sizes_[f] == 0, id, f);
    for (const Copy copy : copies) {
      if (!has_copy(info(id), copy))
        continue;
      const FieldCopy field{id, copy};
      // An empty buffer cannot be bound.
      gpu::Buffer bigger(open_->device, name_of({info(id).header.value_or(id), copy}),
                         before + std::max<std::size_t>(elements, 1) * stride);
      if (graph_) {
        graph_->fill(bigger);
        if (kept > 0)
          graph_->copy(buffer(field), bigger, kept);
        graph_->finish();
      }
      buffer(field) = std::move(bigger);
    }
    sizes_[static_cast<std::size_t>(id)] = elements;
  });
}

std::size_t GpuExecutor::size(FieldId id) const {
  return sizes_[static_cast<std::size_t>(id)];
}

void GpuExecutor::write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) {
  TALUS_ASSERT(offset + bytes.size() <= size(field.id) * info(field.id).stride, field.id, offset, bytes.size(),
               size(field.id));
  if (!bytes.empty())
    translated([&] { graph_->upload(buffer(field), bytes, offset_of(field.id) + offset); });
}

void GpuExecutor::read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) {
  TALUS_ASSERT(offset + bytes.size() <= size(field.id) * info(field.id).stride, field.id, offset, bytes.size(),
               size(field.id));
  if (!bytes.empty())
    translated([&] { graph_->download(buffer(field), bytes, offset_of(field.id) + offset); });
}

std::vector<gpu::Piece> GpuExecutor::pieces_of(std::span<const Stretch> stretches) {
  std::vector<gpu::Piece> pieces;
  for (const Stretch& stretch : stretches) {
    const FieldId id = stretch.field.id;
    TALUS_ASSERT(stretch.offset + stretch.bytes.size() <= size(id) * info(id).stride, id, stretch.offset,
                 stretch.bytes.size(), size(id));
    if (!stretch.bytes.empty())
      pieces.push_back({&buffer(stretch.field), offset_of(id) + stretch.offset, stretch.bytes});
  }
  return pieces;
}

void GpuExecutor::read(std::span<const Stretch> stretches) {
  translated([&] { graph_->download(pieces_of(stretches)); });
}

void GpuExecutor::write(std::span<const Stretch> stretches) {
  translated([&] { graph_->upload(pieces_of(stretches)); });
}

std::vector<PassTime> GpuExecutor::pass_times() const {
  std::vector<PassTime> times(pass_count);
  for (std::size_t p = 0; p < pass_count; ++p)
    times[p].name = pass_infos[p].name;
  for (const gpu::PassTime& time : graph_->times())
    for (PassTime& mine : times)
      if (mine.name == time.name)
        mine = {mine.name, time.calls, time.ms};
  return times;
}

DeviceSummary GpuExecutor::device() const {
  const gpu::DeviceInfo& i = open_->device.info();
  return {i.name, i.driver, i.api_version, i.type};
}

std::unique_ptr<Executor> make_gpu_executor(const Options& options, std::vector<std::string>* notes) {
  auto executor = std::make_unique<GpuExecutor>(options);
  if (notes)
    std::ranges::copy(executor->passed_over(), std::back_inserter(*notes));
  return executor;
}

}  // namespace talus
