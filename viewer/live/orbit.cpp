#include "viewer/live/orbit.h"
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace viewer {

namespace {

constexpr float steepest = 1.55f;  // radians; straight down, the picture would have no up

}  // namespace

void Orbit::start(const talus::Scene& scene, const talus::Box& content) {
  const talus::View view = talus::view_of(scene, 16.0f / 9.0f);
  const glm::vec3 middle = scene.camera.target ? glm::vec3(*scene.camera.target) : 0.5f * (content.min + content.max);
  const float size = glm::distance(content.min, content.max);
  distance_ = std::max(dot(middle - view.eye, view.forward), 0.05f * size);
  nearest_ = 1e-3f * size;
  target_ = view.eye + distance_ * view.forward;
  yaw_ = std::atan2(-view.forward.x, view.forward.y);
  pitch_ = std::asin(std::clamp(view.forward.z, -1.0f, 1.0f));
  tangent_ = length(view.up);
  floor_.reset();
  if (scene.domain.axis[2] == talus::Axis::wall)  // a scene whose own camera is below it is looked at from there
    floor_ = std::min(static_cast<float>(scene.domain.min.z) + 5e-3f * size, view.eye.z);
  turn(0.0f, 0.0f);
}

glm::vec3 Orbit::forward() const {
  return {-std::sin(yaw_) * std::cos(pitch_), std::cos(yaw_) * std::cos(pitch_), std::sin(pitch_)};
}

glm::vec3 Orbit::right() const {
  return {std::cos(yaw_), std::sin(yaw_), 0.0f};
}

talus::View Orbit::view(float aspect) const {
  talus::View view;
  view.eye = eye();
  view.forward = forward();
  view.right = right() * tangent_ * aspect;
  view.up = cross(right(), view.forward) * tangent_;
  return view;
}

void Orbit::rotate(float right, float down) {
  yaw_ = std::remainder(yaw_ - glm::pi<float>() * right, glm::two_pi<float>());
  pitch_ = std::clamp(pitch_ - glm::pi<float>() * down, -steepest, steepest);
}

void Orbit::turn(float right, float down) {
  rotate(right, down);
  tilt_above();
}

// An eye that would be below the floor looks less far up, from another place around the same point.
void Orbit::tilt_above() {
  if (floor_ && !below_floor && eye().z < *floor_) {
    const float rise = (target_.z - *floor_) / distance_;
    pitch_ = std::clamp(std::asin(std::clamp(rise, -1.0f, 1.0f)), -steepest, steepest);
  }
  stay_above();
}

void Orbit::stay_above() {
  if (floor_ && !below_floor)
    target_.z += std::max(*floor_ - eye().z, 0.0f);
}

void Orbit::turn_head(float right, float down) {
  const glm::vec3 from = eye();
  rotate(0.4f * right, 0.4f * down);
  target_ = from + distance_ * forward();
}

void Orbit::pan(float right, float down) {
  const float height = 2.0f * tangent_ * distance_;  // m across the picture, where the point is
  target_ += height * (down * cross(this->right(), forward()) - right * this->right());
  stay_above();
}

void Orbit::zoom(float steps) {
  distance_ = std::max(distance_ * std::pow(0.88f, steps), nearest_);
  tilt_above();
}

void Orbit::fly(const glm::vec3& way) {
  target_ += way.x * right() + way.y * forward() + glm::vec3(0.0f, 0.0f, way.z);
  stay_above();
}

}  // namespace viewer
