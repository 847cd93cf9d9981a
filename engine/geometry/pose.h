#pragma once
// Where a frame is in another one, and how it moves there.
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

namespace talus {

struct Pose {
  glm::dvec3 position{0.0};                 // m
  glm::dquat rotation{1.0, 0.0, 0.0, 0.0};  // of length 1
  bool operator==(const Pose&) const = default;
};

struct Twist {
  glm::dvec3 velocity{0.0};  // m/s, of the frame's origin
  glm::dvec3 spin{0.0};      // rad/s, about it
};

// Where the inner frame is in the one that holds the outer frame.
inline Pose operator*(const Pose& outer, const Pose& inner) {
  return {outer.position + outer.rotation * inner.position, outer.rotation * inner.rotation};
}

// Where the outer frame is in the inner one.
inline Pose inverse_of(const Pose& pose) {
  const glm::dquat back = glm::conjugate(pose.rotation);
  return {-(back * pose.position), back};
}

// By a rotation vector: along its axis, as long as the angle [rad].
inline glm::dquat rotation_by(const glm::dvec3& turn) {
  const double angle = glm::length(turn);
  return angle > 0.0 ? glm::angleAxis(angle, turn / angle) : glm::dquat(1.0, 0.0, 0.0, 0.0);
}

// As the passes hold a rotation: x, y, z, w.
inline glm::vec4 vector_of(const glm::dquat& q) {
  return glm::vec4(q.x, q.y, q.z, q.w);
}

// And back, of length 1.
inline glm::dquat quaternion_of(const glm::vec4& xyzw) {
  return glm::normalize(glm::dquat(xyzw.w, xyzw.x, xyzw.y, xyzw.z));
}

}  // namespace talus
