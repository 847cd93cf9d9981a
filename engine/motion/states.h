#pragma once
// How bodies and joints move, as the public API tells and takes it.
#include "engine/geometry/pose.h"
#include <limits>

namespace talus {

// In the world. The twist is that of the step to come; grains that touch the body feel just this motion.
struct BodyState {
  Pose pose;    // its origin along a periodic axis within the domain
  Twist twist;  // m/s, rad/s
};

// The limits of a commanded body, each above 0.
struct BodyLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double speed = none, acceleration = none;      // m/s, m/s2, of its origin
  double spin = none, spin_acceleration = none;  // rad/s, rad/s2
};

struct JointState {
  double value;  // degrees (revolute) or m (prismatic)
  double speed;  // the same per s, in the step to come
};

// The mean force and torque of the joint of a dynamic body on it over the last step, in the axes of the world.
struct JointLoad {
  glm::dvec3 force{0.0};   // N
  glm::dvec3 torque{0.0};  // N m, about the joint, without what acts along its axis
  double along = 0.0;      // N m (revolute) or N (prismatic): motor, friction, spring and limits
};

}  // namespace talus
