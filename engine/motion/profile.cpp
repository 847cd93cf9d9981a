#include "engine/motion/profile.h"
#include <algorithm>
#include <cmath>

namespace talus {
namespace {

glm::dvec3 shortened(const glm::dvec3& v, double most) {
  const double length = glm::length(v);
  return length > most ? most / length * v : v;
}

// Of all velocities that can be reached the one next to that wanted.
glm::dvec3 changed(const glm::dvec3& velocity, const glm::dvec3& wanted, double most) {
  const double change = glm::length(wanted - velocity);
  return change <= most * (1 + 1e-9) ? wanted : velocity + most / change * (wanted - velocity);
}

}  // namespace

// In units of acceleration * dt the speeds are u, u - 1, .., u - n > 0 with n < u <= n + 1: way = (n + 1) u - n (n + 1)
// / 2.
double stopping_speed(double way, double acceleration, double dt) {
  if (!(way > 0.0))
    return 0.0;
  if (std::isinf(acceleration) || std::isinf(way))
    return way / dt;
  const double unit = acceleration * dt, steps = way / (unit * dt);
  const double n = std::floor((std::sqrt(1 + 8 * steps) - 1) / 2);
  return unit * (steps + n * (n + 1) / 2) / (n + 1);
}

glm::dvec3 velocity_to(const glm::dvec3& way, const glm::dvec3& velocity, const Limits& limits, double dt) {
  const double length = glm::length(way);
  const double speed = std::min(limits.speed, stopping_speed(length, limits.acceleration, dt));
  return changed(velocity, length > 0.0 ? speed / length * way : glm::dvec3(0.0), limits.acceleration * dt);
}

glm::dvec3 velocity_after(const glm::dvec3& wanted, const glm::dvec3& velocity, const Limits& limits, double dt) {
  return changed(velocity, shortened(wanted, limits.speed), limits.acceleration * dt);
}

}  // namespace talus
