#pragma once
// The camera that a hand moves: it looks at a point and goes around it. z is up. Where the domain has a floor, the
// camera stays above it.
#include "viewer/renderer_camera.h"
#include <optional>

namespace viewer {

class Orbit {
public:
  // From where the scene's own camera stands, around what is in its middle.
  void start(const talus::Scene& scene, const talus::Box& content);

  talus::View view(float aspect) const;
  glm::vec3 eye() const { return target_ - distance_ * forward(); }
  glm::vec3 forward() const;
  float distance() const { return distance_; }  // m, of the point looked at
  bool below_floor = false;                     // it may go there
  bool has_floor() const { return floor_.has_value(); }
  void stay_above();  // after below_floor was taken back

  // Ways of the mouse in heights of the picture.
  void turn(float right, float down);
  void pan(float right, float down);
  void zoom(float steps);  // of the wheel; nearer is positive
  // Camera and point together, in m along right, forward and up; and turned about the eye.
  void fly(const glm::vec3& way);
  void turn_head(float right, float down);

private:
  glm::vec3 target_{0.0f};
  float distance_ = 1.0f, nearest_ = 1e-3f;
  float yaw_ = 0.0f, pitch_ = 0.0f;  // of the view, from +y towards -x and up; radians
  float tangent_ = 0.36f;            // of half the vertical angle of view
  std::optional<float> floor_;       // m, the lowest place for the eye; unset: there is no floor
  glm::vec3 right() const;
  void rotate(float right, float down);
  void tilt_above();
};

}  // namespace viewer
