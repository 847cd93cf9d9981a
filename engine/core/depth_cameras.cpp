#include "engine/core/depth_cameras.h"
#include "engine/scene/bodies.h"
#include <cmath>

namespace talus {
namespace {

// From the camera's frame, in which it looks along x and z is up, to the one it is in.
glm::dquat turn_of(const DepthCameraSpec& spec) {
  if (!spec.target)
    return rotation_of(spec.rotation);
  const glm::dvec3 ahead = glm::normalize(*spec.target - spec.position), up(0.0, 0.0, 1.0);
  constexpr double upright = 1e-6;  // of what is left of z across the axis: y is up then
  glm::dvec3 left = glm::cross(up, ahead);
  left = glm::length(left) > upright ? glm::normalize(left) : glm::normalize(glm::cross(glm::dvec3(0, 1, 0), ahead));
  return glm::normalize(glm::quat_cast(glm::dmat3(ahead, left, glm::cross(ahead, left))));
}

}  // namespace

std::vector<DepthCamera> depth_cameras_of(const Scene& scene) {
  std::vector<DepthCamera> cameras;
  std::size_t first = 0;
  for (const DepthCameraSpec& spec : scene.depth_cameras) {
    const glm::dvec2 size(spec.size);
    const bool perspective = spec.projection == Projection::perspective;
    const double edge = perspective ? 2.0 * std::tan(glm::radians(spec.fov) / 2.0) / size.y : spec.width / size.x;
    DepthCamera camera{};
    camera.rotation = vector_of(turn_of(spec));
    camera.position = vec3(spec.position);
    camera.body = spec.body.value_or(no_body);
    camera.width = spec.size.x;
    camera.height = spec.size.y;
    camera.first = static_cast<uint>(first);
    camera.perspective = perspective;
    camera.corner = vec2(glm::dvec2(-0.5, 0.5) * edge * size);
    camera.pixel = vec2(glm::dvec2(edge));
    camera.near = static_cast<float>(spec.near);
    camera.far = static_cast<float>(spec.far);
    camera.heights = spec.values == PixelValue::height;
    cameras.push_back(camera);
    first += pixels_of(camera, scene);
  }
  return cameras;
}

std::size_t pixels_of(const DepthCamera& camera, const Scene& scene) {
  return std::size_t{camera.width} * camera.height * scene.worlds;
}

std::size_t depth_pixels(const Scene& scene) {
  std::size_t pixels = 0;
  for (const DepthCamera& camera : depth_cameras_of(scene))
    pixels += pixels_of(camera, scene);
  return pixels;
}

}  // namespace talus
