// What depth cameras see.
#include "engine/depth_cameras.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {

void Simulation::Impl::set_depth_cameras() {
  executor->resize(FieldId::depth_cameras, scene.depth_cameras.size());
  executor->resize(FieldId::depth_bits, depth_pixels(scene));
  write_field(*executor, FieldId::depth_cameras, depth_cameras_of(scene));
}

void Simulation::Impl::see_depth(std::uint32_t first, std::uint32_t end) {
  const std::vector<DepthCamera> cameras = depth_cameras_of(scene);
  write_motions(1);
  const StepPlan plan = plan_of(step);
  move_bodies(*executor, plan);
  for (std::uint32_t c = first; c < end; ++c)
    talus::see_depth(*executor, plan, c, static_cast<std::uint32_t>(pixels_of(cameras[c], scene)),
                     cameras[c].heights != 0);
  executor->submit();
}

std::uint32_t Simulation::depth_camera(std::string_view name) const {
  const std::vector<DepthCameraSpec>& cameras = impl_->scene.depth_cameras;
  const auto found = std::ranges::find(cameras, name, &DepthCameraSpec::name);
  if (found == cameras.end())
    throw std::invalid_argument(fmt::format("the scene has no depth camera {}", name));
  return static_cast<std::uint32_t>(found - cameras.begin());
}

std::vector<float> Simulation::depth(std::uint32_t camera) {
  Impl& s = impl_->idle();
  const DepthCamera c = depth_cameras_of(s.scene).at(camera);
  s.see_depth(camera, camera + 1);
  std::vector<float> image(pixels_of(c, s.scene));
  s.executor->read(FieldId::depth_bits, std::as_writable_bytes(std::span(image)), c.first * sizeof(float));
  return image;
}

gpu::Buffer* Simulation::depth_buffer() {
  Impl& s = impl_->idle();
  s.see_depth(0, static_cast<std::uint32_t>(s.scene.depth_cameras.size()));
  return s.executor->gpu_buffer(FieldId::depth_bits);
}

}  // namespace talus
