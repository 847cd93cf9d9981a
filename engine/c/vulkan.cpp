// Vulkan's handles, for renderers that share the simulation's device.
#include "engine/c/border.h"
#include "engine/gpu/buffer.h"
#include <cstdint>
#include <type_traits>

namespace talus::c {
namespace {

struct Located {
  const gpu::Buffer* buffer;  // null where the scene has none of it
  std::size_t stride;         // bytes
  std::uint64_t count;
};

std::uint64_t depth_pixels(const Scene& scene) {
  std::uint64_t sum = 0;
  for (const DepthCameraSpec& camera : scene.depth_cameras)
    sum += std::uint64_t{scene.worlds} * camera.size.x * camera.size.y;
  return sum;
}

Located locate(Simulation& s, std::uint32_t which) {
  const std::uint64_t worlds = s.worlds();
  switch (which) {
  case TALUS_BUFFER_GRAINS:
    return {s.grain_buffer(), sizeof(shared::Grain), s.grain_places()};
  case TALUS_BUFFER_GRAIN_MATERIALS:
    return {s.tag_buffer(), sizeof(std::uint32_t), s.grain_places()};
  case TALUS_BUFFER_GRAIN_IDS:
    return {s.id_buffer(), sizeof(std::uint32_t), s.grain_places()};
  case TALUS_BUFFER_GRAIN_SPINS:
    return {s.spin_buffer(), sizeof(shared::vec4), s.grain_places()};
  case TALUS_BUFFER_FINE_GRAINS:
    return {s.fine_buffer(), sizeof(shared::Grain), s.fine_places()};
  case TALUS_BUFFER_FINE_MATERIALS:
    return {s.fine_tag_buffer(), sizeof(std::uint32_t), s.fine_places()};
  case TALUS_BUFFER_BODIES:
    return {s.body_buffer(), sizeof(shared::Body), worlds * s.scene().bodies.size()};
  case TALUS_BUFFER_SHAPES:
    return {s.shape_buffer(), sizeof(shared::ShapeMotion), worlds * s.scene().shapes.size()};
  case TALUS_BUFFER_DEPTH:
    if (s.under_way())
      throw Failure(TALUS_ERROR_SEQUENCE, "steps are under way, and depth cameras see what is there between two steps");
    return {s.depth_buffer(), sizeof(float), depth_pixels(s.scene())};
  case TALUS_BUFFER_MEASURES:
    return {s.measure_buffer(), sizeof(shared::GrainMeasure), s.grain_places()};
  case TALUS_BUFFER_CONTACT_LINES:
    return {s.line_buffer(), sizeof(shared::ContactLine), s.line_places()};
  }
  refuse("there is no buffer " + std::to_string(which) + ": see TALUS_BUFFER_*");
}

void need_device(Simulation& simulation) {
  if (!simulation.gpu_device())
    throw Failure(TALUS_ERROR_UNAVAILABLE, "the simulation runs on the CPU path, which has no Vulkan device");
}

// A handle of Vulkan as an integer; on some platforms it is one already.
std::uint64_t integer_of(auto handle) {
  if constexpr (std::is_pointer_v<decltype(handle)>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return handle;
}

}  // namespace
}  // namespace talus::c

using namespace talus::c;

talus_result talus_evaluate_contacts(talus_simulation* simulation) {
  return guarded([&] { Use(simulation)->evaluate_contacts(); });
}

talus_result talus_vulkan_handles(talus_simulation* simulation, talus_vulkan* handles) {
  return guarded([&] {
    const Use used(simulation, true);
    need_device(*used);
    const talus::gpu::Device& device = *used->gpu_device();
    talus_vulkan out{};
    out.queue_family = device.queue_family();
    out.instance = integer_of(device.instance().handle());
    out.physical_device = integer_of(device.physical());
    out.device = integer_of(device.handle());
    out.queue = integer_of(device.queue());
    hand_out(out, handles, "handles");
  });
}

talus_result talus_get_buffer(talus_simulation* simulation, uint32_t which, talus_buffer* buffer) {
  return guarded([&] {
    const Use used(simulation, true);
    need_device(*used);
    const Located found = locate(*used, which);
    talus_buffer out{};
    out.stride = static_cast<std::uint32_t>(found.stride);
    if (found.buffer && found.buffer->handle()) {
      out.vk_buffer = integer_of(found.buffer->handle());
      out.count = found.count;
      out.bytes = found.buffer->bytes();
    }
    hand_out(out, buffer, "buffer");
  });
}
