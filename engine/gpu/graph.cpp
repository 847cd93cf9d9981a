#include "engine/gpu/graph.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace talus::gpu {

namespace {

constexpr std::uint64_t staging_bytes = 8u << 20;
constexpr std::uint32_t split_groups = 32768;  // every device takes 65535 along an axis

struct StageFlags {
  VkPipelineStageFlags2 stages;
  VkAccessFlags2 writes, all;
};
constexpr VkAccessFlags2 shader_reads = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
constexpr StageFlags stage_flags[stage_count] = {
    {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
     shader_reads | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT},
    {VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, 0, shader_reads},
    {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, 0, shader_reads},
    {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, 0, VK_ACCESS_2_INDEX_READ_BIT},
    {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, 0, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT},
    {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
     VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT},
    {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
     VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT},
    {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
     VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
     VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT},
    {VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT, 0, VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT},
};

constexpr std::size_t index_of(Stage stage) {
  return static_cast<std::size_t>(stage);
}

// Calls f(stage number) for each stage of the mask.
template <class F> void each_stage(StageMask mask, F&& f) {
  for (unsigned rest = mask; rest; rest &= rest - 1)
    f(static_cast<std::size_t>(std::countr_zero(rest)));
}

StageFlags flags_of(StageMask mask) {
  StageFlags sum{};
  each_stage(mask, [&](std::size_t s) {
    sum.stages |= stage_flags[s].stages;
    sum.writes |= stage_flags[s].writes;
    sum.all |= stage_flags[s].all;
  });
  return sum;
}

VkImageLayout attachment_layout(const Image& image) {
  return image.depth() ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end())
    names.push_back(name);
}

}  // namespace

struct Graph::Slot {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  PassTimer timer;
  Ticket ticket = 0;
  bool timed = false;  // the timer runs, or has results that were not read yet

  explicit Slot(Device& device) : timer(device), device_(device) {
    auto create = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    create.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &create, nullptr, &pool), "Creating a command pool");
    auto allocate = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device.handle(), &allocate, &commands), "Creating a command buffer");
  }
  ~Slot() { vkDestroyCommandPool(device_.handle(), pool, nullptr); }
  Slot(const Slot&) = delete;

private:
  Device& device_;
};

struct Graph::Pending {
  struct Item {
    GraphicsPipeline* pipeline = nullptr;  // null: foreign
    std::vector<Buffer*> buffers;
    std::vector<Image*> images;
    std::vector<std::byte> push;
    Draw draw;
    Label label;
    std::function<void(VkCommandBuffer)> foreign;
  };
  Rendering rendering;
  Label label;
  std::vector<Item> items;
};

LastWrite last_write(const Resource& resource) {
  if (resource.usage.write == 0)
    return {};
  const StageFlags& flags = stage_flags[index_of(resource.usage.write_stage)];
  return {flags.stages, flags.writes};
}

const char* hazard_text(Hazard hazard) {
  switch (hazard) {
  case Hazard::read_after_write:
    return "read after write";
  case Hazard::write_after_read:
    return "write after read";
  case Hazard::write_after_write:
    return "write after write";
  default:
    return "layout";
  }
}

std::string to_text(std::span<const PassRecord> passes) {
  std::string out;
  for (const PassRecord& pass : passes) {
    std::vector<std::string> reasons;
    for (const BarrierReason& r : pass.barrier) {
      reasons.push_back(fmt::format("{} of {}{}", hazard_text(r.hazard), r.resource,
                                    r.earlier.empty() ? "" : fmt::format(" after {}", r.earlier)));
    }
    if (!reasons.empty())
      out += fmt::format("-- barrier: {}\n", fmt::join(reasons, ", "));
    out += fmt::format("{} [{}] reads: {}; writes: {}\n", pass.name, pass.kind, fmt::join(pass.reads, " "),
                       fmt::join(pass.writes, " "));
  }
  return out;
}

Graph::Graph(Device& device, const GraphOptions& options)
    : device_(device), options_(options), label_condition_(device.label("condition")),
      label_copy_(device.label("copy")), label_fill_(device.label("fill")), label_upload_(device.label("upload")),
      label_download_(device.label("download")), label_present_(device.label("present")),
      label_rendering_(device.label("rendering")) {
  options_.in_flight = std::max(1u, options_.in_flight);
  options_.labels = options_.labels && device.instance().debug_utils();
}

Graph::~Graph() {
  if (current_)
    device_.set_recording(nullptr);
  device_.drain();
}

void Graph::begin(Recorded recorded) {
  if (current_)
    return;
  if (device_.recording() && device_.recording() != this) {
    throw Error("Another graph on this device holds passes that are not submitted yet: submit it first.");
  }
  Slot* slot = nullptr;
  for (const auto& s : slots_) {
    if (!slot || s->ticket < slot->ticket)
      slot = s.get();  // the oldest
  }
  if ((!slot || !device_.done(slot->ticket)) && slots_.size() < options_.in_flight) {
    slot = slots_.emplace_back(std::make_unique<Slot>(device_)).get();
  }
  device_.wait(slot->ticket);
  read_times(*slot);
  check(vkResetCommandPool(device_.handle(), slot->pool, 0), "Resetting a command pool");
  auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = recorded == Recorded::to_repeat ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                                               : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(slot->commands, &info), "Beginning a command buffer");
  slot->timed = options_.timing && recorded == Recorded::once;
  if (slot->timed)
    slot->timer.begin(slot->commands);
  current_ = slot;
  commands_ = slot->commands;
  bound_ = VK_NULL_HANDLE;
  device_.set_recording(this);
}

void Graph::read_times(Slot& slot) {
  if (slot.timed && slot.ticket)
    totals_.add(slot.timer);
  slot.timed = false;
}

Ticket Graph::submit(const Semaphores& semaphores) {
  outside_rendering("submit");
  if (repeating_ || conditional_)
    throw Error("What is repeated, or stands behind a condition, is submitted as a whole.");
  if (!current_) {
    if (semaphores.wait.empty() && semaphores.signal.empty())
      return device_.last_ticket();
    begin();
  }
  return close(1, semaphores);
}

Ticket Graph::close(std::uint32_t times, const Semaphores& semaphores) {
  if (host_writes_) {  // a finished submission alone does not show its writes to the host
    const StageFlags from = flags_of(host_writes_);
    memory_barriers_.assign(1, make<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2));
    memory_barriers_[0].srcStageMask = from.stages;
    memory_barriers_[0].srcAccessMask = from.writes;
    memory_barriers_[0].dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    memory_barriers_[0].dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    image_barriers_.clear();
    emit_barriers();
    host_writes_ = 0;
  }
  Slot& slot = *std::exchange(current_, nullptr);
  device_.set_recording(nullptr);
  check(vkEndCommandBuffer(slot.commands), "Recording passes");
  slot.ticket = 0;
  return slot.ticket = device_.submit(slot.commands, semaphores, times);
}

void Graph::repeat(std::uint32_t times, const std::function<void()>& passes) {
  submit();
  begin(Recorded::to_repeat);
  repeating_ = true;
  try {
    wait_for_all();
    passes();
    repeating_ = false;
  } catch (...) {
    repeating_ = false;
    throw;
  }
  outside_rendering("repeat");
  close(times, {});
}

// Everything recorded before this is done and seen by everything after it.
void Graph::wait_for_all() {
  Tracker& tracker = device_.tracker();
  memory_barriers_.assign(1, make<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2));
  memory_barriers_[0].srcStageMask = memory_barriers_[0].dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  memory_barriers_[0].srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  memory_barriers_[0].dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  image_barriers_.clear();
  emit_barriers();
  for (auto& by_stage : tracker.synced)
    by_stage.fill(tracker.serial);
}

void Graph::finish() {
  device_.wait(submit());
}

std::vector<PassTime> Graph::times() {
  for (const auto& slot : slots_) {
    if (slot.get() != current_ && device_.done(slot->ticket))
      read_times(*slot);
  }
  return totals_.list(device_);
}

void Graph::clear_times() {
  times();
  totals_.clear();
}

void Graph::outside_rendering(std::string_view pass) const {
  if (pending_)
    throw Error(fmt::format("The pass {} stands inside a rendering: call end_rendering first.", pass));
}

void Graph::touch(Buffer& buffer, Stage stage, bool read, bool write) {
  if (write && buffer.kind() != Buffer::Kind::device)
    host_writes_ |= stage_bit(stage);
  accesses_.push_back({.resource = &buffer, .stage = stage, .read = read, .write = write});
}

void Graph::touch(Image& image, Stage stage, bool read, bool write, VkImageLayout layout) {
  accesses_.push_back(
      {.resource = &image, .stage = stage, .read = read, .write = write, .layout = layout, .image = &image});
}

void Graph::touch_bindings(const Pipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images) {
  const auto each_shader = [](VkShaderStageFlags stages, auto&& f) {
    if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
      f(Stage::compute);
    if (stages & VK_SHADER_STAGE_VERTEX_BIT)
      f(Stage::vertex);
    if (stages & VK_SHADER_STAGE_FRAGMENT_BIT)
      f(Stage::fragment);
  };
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const BufferBinding& binding = pipeline.buffers()[i];
    each_shader(binding.stages, [&](Stage stage) {
      touch(*buffers[i], stage, binding.access != BufferAccess::write, binding.access != BufferAccess::read);
    });
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    each_shader(pipeline.images()[i].stages,
                [&](Stage stage) { touch(*images[i], stage, true, false, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL); });
  }
}

void Graph::check_bindings(const Pipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
                           const Push& push) const {
  const auto fail = [&](std::string_view why) { throw Error(fmt::format("The pass {}: {}.", pipeline.name(), why)); };
  if (buffers.size() != pipeline.buffers().size() || images.size() != pipeline.images().size()) {
    fail(fmt::format("it binds {} buffers and {} images, and is given {} and {}", pipeline.buffers().size(),
                     pipeline.images().size(), buffers.size(), images.size()));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i] || !*buffers[i])
      fail(fmt::format("there is no buffer for {}", pipeline.buffers()[i].name));
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!images[i] || !*images[i])
      fail(fmt::format("there is no image for {}", pipeline.images()[i].name));
  }
  if (push.bytes < pipeline.push_bytes()) {
    fail(fmt::format("it wants {} bytes of push constants, and is given {}", pipeline.push_bytes(), push.bytes));
  }
}

// Looks at accesses_, emits the barriers that they need and marks them as done by this pass.
void Graph::start_pass(Label label, const char* kind, std::size_t draws) {
  Tracker& tracker = device_.tracker();
  std::array<StageMask, stage_count> before{};  // what to wait for, by the stage that waits
  StageMask waiting = 0;
  PassRecord* record = nullptr;
  if (trace_)
    record = &records_.emplace_back(PassRecord{device_.label_name(label), kind, {}, {}, {}});
  const auto because = [&](Hazard hazard, const Resource& resource, std::uint32_t earlier) {
    if (record)
      record->barrier.push_back({hazard, resource.name, device_.label_name({earlier})});
  };
  memory_barriers_.clear();
  image_barriers_.clear();

  for (const Access& a : accesses_) {
    Usage& usage = a.resource->usage;
    if (a.image && a.image->layout != a.layout) {
      because(Hazard::layout, *a.image, usage.writer);
      change_layout(a, label);
      continue;
    }
    const std::size_t to = index_of(a.stage);
    const auto wait_for = [&](std::size_t from) {
      before[to] |= static_cast<StageMask>(1u << from);
      waiting |= stage_bit(a.stage);
    };
    const std::size_t writer = index_of(usage.write_stage);
    if (tracker.synced[writer][to] < usage.write && !(usage.visible & stage_bit(a.stage))) {
      wait_for(writer);
      because(a.read ? Hazard::read_after_write : Hazard::write_after_write, *a.resource, usage.writer);
    }
    if (!a.write)
      continue;
    each_stage(usage.readers, [&](std::size_t reader) {
      if (tracker.synced[reader][to] >= usage.read[reader])
        return;
      wait_for(reader);
      because(Hazard::write_after_read, *a.resource, usage.reader);
    });
  }

  each_stage(waiting, [&](std::size_t to) {
    const StageFlags from = flags_of(before[to]);
    auto& barrier = memory_barriers_.emplace_back(make<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2));
    barrier.srcStageMask = from.stages;
    barrier.srcAccessMask = from.writes;
    barrier.dstStageMask = stage_flags[to].stages;
    barrier.dstAccessMask = stage_flags[to].all;
    each_stage(before[to], [&](std::size_t stage) { tracker.synced[stage][to] = tracker.serial; });
  });
  if (!options_.barriers)
    memory_barriers_.clear();
  emit_barriers();

  const std::uint64_t serial = ++tracker.serial;
  for (const Access& a : accesses_) {
    if (record && a.read)
      add_once(record->reads, a.resource->name);
    if (record && a.write)
      add_once(record->writes, a.resource->name);
    if (a.write)
      continue;
    Usage& usage = a.resource->usage;
    usage.read[index_of(a.stage)] = serial;
    usage.readers |= stage_bit(a.stage);
    usage.reader = label.id;
  }
  for (const Access& a : accesses_) {  // after the reads: who waits for this pass's write waits for its reads
    if (!a.write)
      continue;
    Usage& usage = a.resource->usage;
    usage.write = serial;
    usage.write_stage = a.stage;
    usage.writer = label.id;
    usage.readers = usage.visible = 0;
  }
  if (current_->timed)
    current_->timer.make_room(commands_, draws + 1);
  if (options_.labels) {
    auto info = make<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
    info.pLabelName = device_.label_name(label).c_str();
    vkCmdBeginDebugUtilsLabelEXT(commands_, &info);
  }
}

// A layout transition is a write that happens before the pass and is seen by all its stages that touch the image.
void Graph::change_layout(const Access& access, Label label) {
  Image& image = *access.image;
  Usage& usage = image.usage;
  StageMask to = 0;
  bool discard = false;
  for (const Access& a : accesses_) {
    if (a.image != access.image)
      continue;
    to |= stage_bit(a.stage);
    discard |= a.write && !a.read;
  }
  const StageMask writer = usage.write ? stage_bit(usage.write_stage) : StageMask{0};
  auto& barrier = image_barriers_.emplace_back(make<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2));
  barrier.srcStageMask = flags_of(writer | usage.readers).stages;
  barrier.srcAccessMask = flags_of(writer).writes;
  barrier.dstStageMask = flags_of(to).stages;
  barrier.dstAccessMask = flags_of(to).all;
  barrier.oldLayout = discard ? VK_IMAGE_LAYOUT_UNDEFINED : image.layout;
  barrier.newLayout = image.layout = access.layout;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle();
  barrier.subresourceRange = image.range();
  usage.write = device_.tracker().serial + 1;
  usage.write_stage = access.stage;
  usage.visible = to;
  usage.readers = 0;
  usage.writer = label.id;
}

void Graph::emit_barriers() {
  if (memory_barriers_.empty() && image_barriers_.empty())
    return;
  auto info = make<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.memoryBarrierCount = static_cast<std::uint32_t>(memory_barriers_.size());
  info.pMemoryBarriers = memory_barriers_.data();
  info.imageMemoryBarrierCount = static_cast<std::uint32_t>(image_barriers_.size());
  info.pImageMemoryBarriers = image_barriers_.data();
  vkCmdPipelineBarrier2(commands_, &info);
  ++barriers_;
}

void Graph::end_label() {
  if (options_.labels)
    vkCmdEndDebugUtilsLabelEXT(commands_);
}

void Graph::end_pass(Label label) {
  end_label();
  if (current_->timed)
    current_->timer.mark(commands_, label);
  ++passes_;
}

void Graph::bind(Pipeline& pipeline, VkPipelineBindPoint point, std::span<Buffer* const> buffers,
                 std::span<Image* const> images, const Push& push) {
  if (bound_ != pipeline.handle()) {
    vkCmdBindPipeline(commands_, point, pipeline.handle());
    bound_ = pipeline.handle();
  }
  if (!buffers.empty() || !images.empty()) {
    const VkDescriptorSet set = pipeline.descriptor_set(buffers, images);
    vkCmdBindDescriptorSets(commands_, point, pipeline.layout(), 0, 1, &set, 0, nullptr);
  }
  if (pipeline.push_bytes()) {
    vkCmdPushConstants(commands_, pipeline.layout(), pipeline.stages(), 0, pipeline.push_bytes(), push.data);
  }
}

void Graph::begin_condition(Buffer& buffer, std::uint64_t offset) {
  outside_rendering("condition");
  if (conditional_)
    throw Error("Conditions do not nest.");
  if (offset % 4 || offset + 4 > buffer.bytes())
    throw Error(fmt::format("A condition does not lie in its buffer {}.", buffer.name));
  conditional_ = true;
  if (!device_.conditions())
    return;
  begin();
  accesses_.clear();
  touch(buffer, Stage::condition, true, false);
  start_pass(label_condition_, "condition");
  end_label();
  auto info = make<VkConditionalRenderingBeginInfoEXT>(VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT);
  info.buffer = buffer.handle();
  info.offset = offset;
  vkCmdBeginConditionalRenderingEXT(commands_, &info);
}

void Graph::end_condition() {
  if (!std::exchange(conditional_, false))
    throw Error("There is no condition to end.");
  if (device_.conditions())
    vkCmdEndConditionalRenderingEXT(commands_);
}

void Graph::compute(ComputePipeline& pipeline, std::span<Buffer* const> buffers, const Push& push, const Work& work,
                    Label label, std::span<Image* const> images) {
  outside_rendering(pipeline.name());
  check_bindings(pipeline, buffers, images, push);
  std::uint64_t groups = work.count;
  std::array<std::uint32_t, 3> grid{work.x, work.y, work.z};
  switch (work.kind) {
  case Work::Kind::elements:
    groups = (work.count + pipeline.group_size() - 1) / pipeline.group_size();
    [[fallthrough]];
  case Work::Kind::groups:
    grid = {static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, split_groups)),
            static_cast<std::uint32_t>((groups + split_groups - 1) / split_groups), 1};
    if (groups > std::uint64_t{split_groups} * split_groups) {
      throw Error(fmt::format("The pass {} would take {} groups, and {} are the most.", pipeline.name(), groups,
                              std::uint64_t{split_groups} * split_groups));
    }
    break;
  case Work::Kind::indirect:
    if (!work.buffer || work.offset % 4 || work.offset + sizeof(VkDispatchIndirectCommand) > work.buffer->bytes()) {
      throw Error(fmt::format("The pass {}: its indirect arguments do not lie in their buffer.", pipeline.name()));
    }
    break;
  case Work::Kind::grid:
    break;
  case Work::Kind::range:
    if (!pipeline.starts_anywhere())
      throw Error(fmt::format("The pass {} is not compiled for a part of its groups.", pipeline.name()));
    break;
  }
  if (work.kind != Work::Kind::indirect && work.kind != Work::Kind::range) {
    const auto& most = device_.limits().maxComputeWorkGroupCount;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (grid[axis] > most[axis]) {
        throw Error(fmt::format("The pass {} would take {} groups along an axis, and {} takes {}.", pipeline.name(),
                                grid[axis], device_.info().name, most[axis]));
      }
    }
  }

  begin();
  if (!label.id)
    label = pipeline.label();
  accesses_.clear();
  touch_bindings(pipeline, buffers, images);
  if (work.kind == Work::Kind::indirect)
    touch(*work.buffer, Stage::indirect, true, false);
  start_pass(label, "compute");
  bind(pipeline, VK_PIPELINE_BIND_POINT_COMPUTE, buffers, images, push);
  if (work.kind == Work::Kind::indirect) {
    vkCmdDispatchIndirect(commands_, work.buffer->handle(), work.offset);
  } else if (work.kind == Work::Kind::range) {
    dispatch_range(work, pipeline.name());
  } else if (grid[0] && grid[1] && grid[2]) {
    vkCmdDispatch(commands_, grid[0], grid[1], grid[2]);
  }
  end_pass(label);
}

// A dispatch of n groups along x that starts at (x, y) has the linear groups y n + x, y n + x + 1, .., y n + x + n - 1,
// since the group's id counts from the start and the number of groups along x is n. The range is cut into dispatches of
// n groups, and y is the greatest whole number with y n <= first, as long as the device takes that many along y.
void Graph::dispatch_range(const Work& work, std::string_view pass) {
  const auto& most = device_.limits().maxComputeWorkGroupCount;
  for (std::uint64_t first = work.first, end = work.first + work.count; first < end;) {
    const std::uint64_t groups = std::min<std::uint64_t>(end - first, split_groups);
    const std::uint64_t y = std::min<std::uint64_t>(first / groups, most[1] - 1), x = first - y * groups;
    if (x + groups > most[0])
      throw Error(fmt::format("The pass {} would start at group {}, which {} does not take for {} groups.", pass, first,
                              device_.info().name, groups));
    vkCmdDispatchBase(commands_, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0,
                      static_cast<std::uint32_t>(groups), 1, 1);
    first += groups;
  }
  // Mesa 22's lavapipe keeps the first group for the next indirect dispatch of the command buffer, and forgets it at a
  // direct one: without this, passes that follow leave out as many groups.
  vkCmdDispatch(commands_, 0, 0, 0);
}

void Graph::begin_rendering(const Rendering& rendering, Label label) {
  outside_rendering("begin_rendering");
  const auto fail = [&](std::string_view why) {
    throw Error(fmt::format("The rendering {}: {}.", device_.label_name(label), why));
  };
  if (!device_.graphics())
    fail(fmt::format("{} computes but does not draw", device_.info().name));
  const Image* first = rendering.colour.empty() ? rendering.depth.image : rendering.colour[0].image;
  const auto check_target = [&](const Image* image, bool depth) {
    if (!image || !*image)
      fail("it has no image to draw into");
    if (image->depth() != depth)
      fail(fmt::format("the image {} is not a {} target", image->name, depth ? "depth" : "colour"));
    if (image->width() != first->width() || image->height() != first->height()) {
      fail(fmt::format("the images {} and {} differ in size", first->name, image->name));
    }
  };
  for (const ColourTarget& target : rendering.colour)
    check_target(target.image, false);
  if (rendering.depth.image || rendering.colour.empty())
    check_target(rendering.depth.image, true);
  pending_ = std::make_unique<Pending>();
  pending_->rendering = rendering;
  pending_->label = label.id ? label : label_rendering_;
}

void Graph::draw(GraphicsPipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
                 const Push& push, const Draw& draw, Label label) {
  if (!pending_)
    throw Error(fmt::format("The draw {} stands outside a rendering.", pipeline.name()));
  check_bindings(pipeline, buffers, images, push);
  const Rendering& target = pending_->rendering;
  for (const Image* image : images) {
    const auto same = [&](const ColourTarget& colour) { return colour.image == image; };
    if (image == target.depth.image || std::ranges::any_of(target.colour, same)) {
      throw Error(fmt::format("The draw {} samples the image {} that it draws into.", pipeline.name(), image->name));
    }
  }
  const std::uint64_t arguments = draw.indices ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
  if (draw.indirect && (draw.indirect_offset % 4 || draw.indirect_offset + arguments > draw.indirect->bytes())) {
    throw Error(fmt::format("The draw {}: its indirect arguments do not lie in their buffer.", pipeline.name()));
  }
  Pending::Item& item = pending_->items.emplace_back();
  item.pipeline = &pipeline;
  item.buffers.assign(buffers.begin(), buffers.end());
  item.images.assign(images.begin(), images.end());
  const auto* bytes = static_cast<const std::byte*>(push.data);
  item.push.assign(bytes, bytes + push.bytes);
  item.draw = draw;
  item.label = label.id ? label : pipeline.label();
}

void Graph::draw_foreign(Label label, std::function<void(VkCommandBuffer)> record) {
  if (!pending_)
    throw Error(fmt::format("The draw {} stands outside a rendering.", device_.label_name(label)));
  Pending::Item& item = pending_->items.emplace_back();
  item.label = label.id ? label : label_rendering_;
  item.foreign = std::move(record);
}

void Graph::end_rendering() {
  if (!pending_)
    throw Error("There is no rendering to end.");
  const auto pending = std::move(pending_);
  const Rendering& target = pending->rendering;
  begin();

  accesses_.clear();
  for (const ColourTarget& c : target.colour)
    touch(*c.image, Stage::colour, !c.clear, true, attachment_layout(*c.image));
  if (Image* depth = target.depth.image)
    touch(*depth, Stage::depth, !target.depth.clear, true, attachment_layout(*depth));
  for (const Pending::Item& item : pending->items) {
    if (!item.pipeline)
      continue;
    touch_bindings(*item.pipeline, item.buffers, item.images);
    if (item.draw.indices)
      touch(*item.draw.indices, Stage::input, true, false);
    if (item.draw.indirect)
      touch(*item.draw.indirect, Stage::indirect, true, false);
  }
  start_pass(pending->label, "draw", pending->items.size());

  const auto attachment = [](const Image& image, bool clear) {
    auto info = make<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
    info.imageView = image.view();
    info.imageLayout = attachment_layout(image);
    info.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    return info;
  };
  std::vector<VkRenderingAttachmentInfo> colours;
  for (const ColourTarget& c : target.colour) {
    colours.push_back(attachment(*c.image, c.clear));
    std::ranges::copy(c.value, colours.back().clearValue.color.float32);
  }
  VkRenderingAttachmentInfo depth{};
  auto info = make<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  if (target.depth.image) {
    depth = attachment(*target.depth.image, target.depth.clear);
    depth.clearValue.depthStencil.depth = target.depth.value;
    info.pDepthAttachment = &depth;
  }
  const Image& first = colours.empty() ? *target.depth.image : *target.colour[0].image;
  info.renderArea.extent = {first.width(), first.height()};
  info.layerCount = 1;
  info.colorAttachmentCount = static_cast<std::uint32_t>(colours.size());
  info.pColorAttachments = colours.data();
  vkCmdBeginRendering(commands_, &info);
  for (const Pending::Item& item : pending->items) {
    if (item.pipeline) {
      record_draw(*item.pipeline, item.buffers, item.images, std::span(item.push), item.draw, info.renderArea.extent);
    } else {
      item.foreign(commands_);
      bound_ = VK_NULL_HANDLE;
    }
    if (current_->timed)
      current_->timer.mark(commands_, item.label);
    ++passes_;
  }
  vkCmdEndRendering(commands_);
  end_pass(pending->label);
}

void Graph::record_draw(GraphicsPipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
                        const Push& push, const Draw& d, VkExtent2D extent) {
  bind(pipeline, VK_PIPELINE_BIND_POINT_GRAPHICS, buffers, images, push);
  VkViewport viewport{d.viewport[0], d.viewport[1], d.viewport[2], d.viewport[3], 0.0f, 1.0f};
  VkRect2D scissor{{0, 0}, extent};
  if (d.viewport[2] == 0.0f || d.viewport[3] == 0.0f) {
    viewport = {0.0f, 0.0f, static_cast<float>(extent.width), static_cast<float>(extent.height), 0.0f, 1.0f};
  } else {
    const float x = std::clamp(d.viewport[0], 0.0f, static_cast<float>(extent.width));
    const float y = std::clamp(d.viewport[1], 0.0f, static_cast<float>(extent.height));
    scissor.offset = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
    scissor.extent = {
        std::min(static_cast<std::uint32_t>(d.viewport[2]), extent.width - static_cast<std::uint32_t>(x)),
        std::min(static_cast<std::uint32_t>(d.viewport[3]), extent.height - static_cast<std::uint32_t>(y))};
  }
  vkCmdSetViewport(commands_, 0, 1, &viewport);
  vkCmdSetScissor(commands_, 0, 1, &scissor);
  if (d.indices)
    vkCmdBindIndexBuffer(commands_, d.indices->handle(), 0, VK_INDEX_TYPE_UINT32);
  if (d.indirect && d.indices) {
    vkCmdDrawIndexedIndirect(commands_, d.indirect->handle(), d.indirect_offset, 1, 0);
  } else if (d.indirect) {
    vkCmdDrawIndirect(commands_, d.indirect->handle(), d.indirect_offset, 1, 0);
  } else if (d.vertices && d.instances && d.indices) {
    vkCmdDrawIndexed(commands_, d.vertices, d.instances, d.first_vertex, 0, d.first_instance);
  } else if (d.vertices && d.instances) {
    vkCmdDraw(commands_, d.vertices, d.instances, d.first_vertex, d.first_instance);
  }
}

void Graph::check_range(std::string_view pass, const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const {
  outside_rendering(pass);
  if (!buffer)
    throw Error(fmt::format("The pass {} has no buffer.", pass));
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset) {
    throw Error(fmt::format("The pass {} reaches byte {} of the buffer {}, which has {}.", pass, offset + bytes,
                            buffer.name, buffer.bytes()));
  }
}

void Graph::fill(Buffer& buffer, std::uint32_t word, std::uint64_t offset, std::uint64_t bytes) {
  check_range("fill", buffer, offset, bytes == whole ? 0 : bytes);
  if (offset % 4 || (bytes != whole && bytes % 4)) {
    throw Error(fmt::format("The fill of {} does not start and end at multiples of 4 bytes.", buffer.name));
  }
  if (bytes == 0)
    return;
  begin();
  accesses_.clear();
  touch(buffer, Stage::transfer, false, true);
  start_pass(label_fill_, "fill");
  vkCmdFillBuffer(commands_, buffer.handle(), offset, bytes == whole ? VK_WHOLE_SIZE : bytes, word);
  end_pass(label_fill_);
}

void Graph::copy(Buffer& from, Buffer& to, std::uint64_t bytes, std::uint64_t from_offset, std::uint64_t to_offset) {
  if (bytes == whole)
    bytes = from.bytes() - std::min(from_offset, from.bytes());
  check_range("copy", from, from_offset, bytes);
  check_range("copy", to, to_offset, bytes);
  copy_as(label_copy_, from, to, bytes, from_offset, to_offset);
}

void Graph::copy_as(Label label, Buffer& from, Buffer& to, std::uint64_t bytes, std::uint64_t from_offset,
                    std::uint64_t to_offset) {
  if (bytes == 0)
    return;
  const VkBufferCopy region{from_offset, to_offset, bytes};
  copy_as(label, from, to, {&region, 1});
}

void Graph::copy_as(Label label, Buffer& from, Buffer& to, std::span<const VkBufferCopy> regions) {
  begin();
  accesses_.clear();
  touch(from, Stage::transfer, true, false);
  touch(to, Stage::transfer, false, true);
  start_pass(label, device_.label_name(label).c_str());
  vkCmdCopyBuffer(commands_, from.handle(), to.handle(), static_cast<std::uint32_t>(regions.size()), regions.data());
  end_pass(label);
}

// Room in the upload buffer, from upload_used_ on: all that is wanted, or less, but at least minimum [bytes].
std::uint64_t Graph::upload_room(std::uint64_t wanted, std::uint64_t minimum) {
  if (!upload_ || upload_.bytes() < minimum) {
    upload_ = Buffer(device_, "upload staging", std::max(staging_bytes, minimum), Buffer::Kind::upload);
    upload_used_ = 0;
  }
  if (device_.done(upload_ticket_))
    upload_used_ = 0;
  if (upload_.bytes() - upload_used_ < std::min(wanted, minimum)) {
    finish();
    upload_used_ = 0;
  }
  return std::min(wanted, upload_.bytes() - upload_used_);
}

void Graph::upload_taken(std::uint64_t bytes) {
  upload_used_ = std::min<std::uint64_t>(upload_.bytes(), (upload_used_ + bytes + 15) & ~15ull);
  upload_ticket_ = device_.last_ticket() + 1;
}

void Graph::upload(Buffer& to, std::span<const std::byte> data, std::uint64_t offset) {
  check_range("upload", to, offset, data.size());
  while (!data.empty()) {
    const std::uint64_t room = upload_room(data.size(), 16);
    std::memcpy(upload_.mapped().data() + upload_used_, data.data(), room);
    copy_as(label_upload_, upload_, to, room, upload_used_, offset);
    upload_taken(room);
    offset += room;
    data = data.subspan(room);
  }
}

void Graph::download(Buffer& from, std::span<std::byte> data, std::uint64_t offset) {
  check_range("download", from, offset, data.size());
  if (!readback_)
    readback_ = Buffer(device_, "readback staging", staging_bytes, Buffer::Kind::readback);
  if (data.empty())
    finish();
  while (!data.empty()) {
    const std::uint64_t room = std::min<std::uint64_t>(data.size(), readback_.bytes());
    copy_as(label_download_, from, readback_, room, offset, 0);
    finish();
    std::memcpy(data.data(), readback_.mapped().data(), room);
    offset += room;
    data = data.subspan(room);
  }
}

void Graph::upload(std::span<const Piece> pieces) {
  std::uint64_t all = 0;
  for (const Piece& piece : pieces) {
    check_range("upload", *piece.buffer, piece.offset, piece.data.size());
    all += piece.data.size();
  }
  if (all > staging_bytes) {
    for (const Piece& piece : pieces)
      upload(*piece.buffer, piece.data, piece.offset);
    return;
  }
  if (all == 0)
    return;
  upload_room(all, all);
  std::vector<VkBufferCopy> regions;
  std::uint64_t at = upload_used_;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Piece& piece = pieces[k];
    if (!piece.data.empty()) {
      std::ranges::copy(piece.data, upload_.mapped().begin() + static_cast<std::ptrdiff_t>(at));
      regions.push_back({at, piece.offset, piece.data.size()});
      at += piece.data.size();
    }
    if (!regions.empty() && (k + 1 == pieces.size() || pieces[k + 1].buffer != piece.buffer)) {
      copy_as(label_upload_, upload_, *piece.buffer, regions);
      regions.clear();
    }
  }
  upload_taken(all);
}

void Graph::download(std::span<const Piece> pieces) {
  if (!readback_)
    readback_ = Buffer(device_, "readback staging", staging_bytes, Buffer::Kind::readback);
  std::vector<VkBufferCopy> regions;          // of one buffer, not recorded yet
  std::vector<std::span<std::byte>> targets;  // of what the staging buffer holds, one after another
  Buffer* from = nullptr;
  std::uint64_t used = 0;
  const auto record = [&] {
    if (!regions.empty())
      copy_as(label_download_, *from, readback_, regions);
    regions.clear();
  };
  const auto collect = [&] {
    record();
    finish();
    auto next = readback_.mapped().begin();
    for (const std::span<std::byte> target : targets) {
      std::memcpy(target.data(), &*next, target.size());
      next += static_cast<std::ptrdiff_t>(target.size());
    }
    targets.clear();
    used = 0;
  };
  for (const Piece& piece : pieces) {
    check_range("download", *piece.buffer, piece.offset, piece.data.size());
    if (piece.buffer != from)
      record();
    from = piece.buffer;
    std::uint64_t offset = piece.offset;
    for (std::span<std::byte> data = piece.data; !data.empty();) {
      if (used == readback_.bytes())
        collect();
      const auto room = std::min<std::uint64_t>(data.size(), readback_.bytes() - used);
      regions.push_back({offset, used, room});
      targets.push_back(data.first(room));
      used += room;
      offset += room;
      data = data.subspan(room);
    }
  }
  collect();
}

void Graph::upload(Image& image, std::span<const std::byte> data) {
  outside_rendering("upload");
  const std::uint64_t row = std::uint64_t{image.width()} * image.pixel_bytes();
  if (data.size() != row * image.height()) {
    throw Error(
        fmt::format("The image {} takes {} bytes, and is given {}.", image.name, row * image.height(), data.size()));
  }
  for (std::uint32_t y = 0; y < image.height();) {
    const std::uint64_t room = upload_room(data.size(), row);
    const auto rows = static_cast<std::uint32_t>(room / row);
    std::memcpy(upload_.mapped().data() + upload_used_, data.data(), rows * row);
    begin();
    accesses_.clear();
    touch(upload_, Stage::transfer, true, false);
    touch(image, Stage::transfer, true, true, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    start_pass(label_upload_, "upload");
    const auto region = image_region(image, upload_used_, y, rows);
    vkCmdCopyBufferToImage(commands_, upload_.handle(), image.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    end_pass(label_upload_);
    upload_taken(rows * row);
    data = data.subspan(rows * row);
    y += rows;
  }
}

VkBufferImageCopy Graph::image_region(const Image& image, std::uint64_t offset, std::uint32_t y, std::uint32_t rows) {
  VkBufferImageCopy region{};
  region.bufferOffset = offset;
  region.imageSubresource = {image.range().aspectMask, 0, 0, 1};
  region.imageOffset = {0, static_cast<std::int32_t>(y), 0};
  region.imageExtent = {image.width(), rows, 1};
  return region;
}

void Graph::copy(Image& from, Buffer& to, std::uint64_t to_offset) {
  check_range("copy", to, to_offset, std::uint64_t{from.width()} * from.height() * from.pixel_bytes());
  if (from.layout == VK_IMAGE_LAYOUT_UNDEFINED) {
    throw Error(fmt::format("The image {} is read before anything was drawn into it.", from.name));
  }
  begin();
  accesses_.clear();
  touch(from, Stage::transfer, true, false, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  touch(to, Stage::transfer, false, true);
  start_pass(label_copy_, "copy");
  const auto region = image_region(from, to_offset, 0, from.height());
  vkCmdCopyImageToBuffer(commands_, from.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.handle(), 1, &region);
  end_pass(label_copy_);
}

std::vector<std::byte> Graph::download(Image& image) {
  std::vector<std::byte> data(std::size_t{image.width()} * image.height() * image.pixel_bytes());
  if (!readback_ || readback_.bytes() < data.size()) {
    readback_ = Buffer(device_, "readback staging", std::max<std::uint64_t>(staging_bytes, data.size()),
                       Buffer::Kind::readback);
  }
  copy(image, readback_);
  finish();
  std::memcpy(data.data(), readback_.mapped().data(), data.size());
  return data;
}

void Graph::present(Image& image) {
  outside_rendering("present");
  begin();
  accesses_.clear();
  touch(image, Stage::colour, true, false, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  start_pass(label_present_, "present");
  end_pass(label_present_);
}

}  // namespace talus::gpu
