#include "engine/simulation/shared_buffers.h"
#include "engine/core/executor.h"
#include "engine/core/fields.h"
#include "engine/executors/translated.h"
#include "engine/gpu/graph.h"
#include <array>
#include <cstddef>
#include <stdexcept>

namespace talus {

namespace {

using shared::Body;
using shared::BodyMotion;
using shared::Grain;
using shared::ShapeMotion;

constexpr SharedMember grain_members[] = {
    {"position [m], radius [m]", VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Grain, position)},
    {"velocity [m/s], inverse mass [1/kg]", VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Grain, velocity)}};
constexpr SharedMember fine_members[] = {
    {"position [m], radius [m]", VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Grain, position)},
    {"velocity [m/s], looseness [1]", VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Grain, velocity)}};
constexpr SharedMember tag_members[] = {{"material, low 8 bits", VK_FORMAT_R32_UINT, 0}};
constexpr SharedMember id_members[] = {{"number", VK_FORMAT_R32_UINT, 0}};
constexpr SharedMember cloth_members[] = {{"place", VK_FORMAT_R32_UINT, 0}};
constexpr SharedMember body_members[] = {
    {"rotation, quaternion xyzw", VK_FORMAT_R32G32B32A32_SFLOAT,
     offsetof(Body, motion) + offsetof(BodyMotion, rotation)},
    {"position [m]", VK_FORMAT_R32G32B32_SFLOAT, offsetof(Body, motion) + offsetof(BodyMotion, position)},
    {"velocity [m/s]", VK_FORMAT_R32G32B32_SFLOAT, offsetof(Body, motion) + offsetof(BodyMotion, velocity)},
    {"spin [rad/s]", VK_FORMAT_R32G32B32_SFLOAT, offsetof(Body, motion) + offsetof(BodyMotion, spin)}};
constexpr SharedMember shape_members[] = {
    {"rotation, quaternion xyzw", VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(ShapeMotion, rotation)},
    {"position [m]", VK_FORMAT_R32G32B32_SFLOAT, offsetof(ShapeMotion, position)},
    {"velocity [m/s]", VK_FORMAT_R32G32B32_SFLOAT, offsetof(ShapeMotion, velocity)}};

struct Draws {
  VkDrawIndirectCommand grains, fine;
  VkDrawIndexedIndirectCommand grains_indexed, fine_indexed;
};
static_assert(offsetof(Draws, grains) == SharedFrame::draw_grains && offsetof(Draws, fine) == SharedFrame::draw_fine &&
              offsetof(Draws, grains_indexed) == SharedFrame::draw_grains_indexed &&
              offsetof(Draws, fine_indexed) == SharedFrame::draw_fine_indexed);

gpu::Device& device_of(Simulation& simulation) {
  if (gpu::Device* device = simulation.executor().gpu_device())
    return *device;
  throw DeviceError("A simulation on the CPU path has no buffers on a device to share: give Options::device or "
                    "Options::on another one.");
}

}  // namespace

struct SharedBuffers::Impl {
  Simulation& simulation;
  Executor& executor;
  gpu::Device& device;
  gpu::Graph graph;
  gpu::Buffer draws;
  DrawnPlace drawn;
  std::array<std::uint32_t, 2> drawn_places{~0u, ~0u};  // of grains and fine grains, that draws has

  Impl(Simulation& simulation_in, const DrawnPlace& drawn_in)
      : simulation(simulation_in), executor(simulation.executor()), device(device_of(simulation)),
        graph(device, {.timing = false}), draws(device, "draws", sizeof(Draws)), drawn(drawn_in) {}

  // A last submission waits for what was released, so that the application may destroy its semaphore afterwards.
  ~Impl() {
    try {
      executor.gpu_device();  // submits what its graph holds
      graph.fill(draws);
      graph.finish();
    } catch (const std::exception&) {  // a lost device: nothing is read any more
    }
  }

  void write_draws(std::uint32_t grains, std::uint32_t fine) {
    if (drawn_places == std::array{grains, fine})
      return;
    const Draws now{{drawn.vertices, grains, 0, 0},
                    {drawn.vertices, fine, 0, 0},
                    {drawn.indices, grains, 0, 0, 0},
                    {drawn.indices, fine, 0, 0, 0}};
    graph.upload(draws, std::as_bytes(std::span(&now, 1)));
    graph.submit();
    drawn_places = {grains, fine};
  }

  gpu::Buffer& field(FieldId id) { return *executor.gpu_buffer(id); }

  static SharedBuffer shared_as(const gpu::Buffer& buffer, std::size_t stride, std::size_t count,
                                std::span<const SharedMember> members) {
    const gpu::LastWrite last = gpu::last_write(buffer);
    return {
        buffer.handle(), buffer.bytes(), static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(count), members,
        last.stages,     last.access};
  }
  SharedBuffer shared_as(FieldId id, std::size_t count, std::span<const SharedMember> members) {
    return shared_as(field(id), info(id).stride, count, members);
  }

  SharedFrame frame() {
    const Scene& scene = simulation.scene();
    const std::uint32_t grains = simulation.grain_places(), fine = simulation.fine_places();
    simulation.body_buffer();  // poses them, and submits what there is
    write_draws(grains, fine);
    SharedFrame out;
    out.grains = shared_as(FieldId::grains, grains, grain_members);
    out.tags = shared_as(FieldId::grain_tag, grains, tag_members);
    out.ids = shared_as(FieldId::grain_id, grains, id_members);
    out.fine_grains = shared_as(FieldId::fine_grains, fine, fine_members);
    out.fine_tags = shared_as(FieldId::fine_tag, fine, tag_members);
    out.bodies = shared_as(FieldId::bodies, scene.worlds * scene.bodies.size(), body_members);
    out.shapes = shared_as(FieldId::shape_motions, scene.worlds * scene.shapes.size(), shape_members);
    out.cloth = shared_as(FieldId::cloth_index, executor.size(FieldId::cloth_index), cloth_members);
    out.draws = shared_as(draws, sizeof(std::uint32_t), sizeof(Draws) / sizeof(std::uint32_t), {});
    out.ready = {device.timeline(), device.last_ticket()};
    return out;
  }

  const gpu::Buffer& with_handle(VkBuffer handle) {
    for (const FieldId id : {FieldId::grains, FieldId::grain_tag, FieldId::grain_id, FieldId::fine_grains,
                             FieldId::fine_tag, FieldId::bodies, FieldId::shape_motions, FieldId::cloth_index})
      if (field(id).handle() == handle)
        return field(id);
    if (draws.handle() != handle)
      throw std::invalid_argument("the buffer is none of the last frame's: ask frame() anew");
    return draws;
  }
};

SharedBuffers::SharedBuffers(Simulation& simulation, const DrawnPlace& drawn)
    : impl_(translated([&] { return std::make_unique<Impl>(simulation, drawn); })) {}
SharedBuffers::~SharedBuffers() = default;

SharedFrame SharedBuffers::frame() {
  return translated([&] { return impl_->frame(); });
}

void SharedBuffers::release(const TimelinePoint& read) {
  if (!read.semaphore)
    throw std::invalid_argument("release() takes the timeline semaphore that the application's submission signals");
  impl_->device.wait_before_next(read);
}

ExportedMemory SharedBuffers::export_fd(VkBuffer buffer) const {
  return translated([&] {
    const gpu::Buffer::Exported exported = impl_->with_handle(buffer).export_fd();
    return ExportedMemory{exported.fd, exported.memory_bytes, exported.buffer_bytes};
  });
}

int SharedBuffers::export_timeline() const {
  return translated([&] { return impl_->device.export_timeline(); });
}

void SharedBuffers::wait(const TimelinePoint& ready) {
  if (ready.semaphore != impl_->device.timeline())
    throw std::invalid_argument("wait() takes the ready of a frame()");
  translated([&] { impl_->device.wait(ready.value); });
}

}  // namespace talus
