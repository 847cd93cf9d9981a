#pragma once
// Motion under limits: as fast as they allow, and no faster than can be stopped in time. Velocities hold for a step.
#include <glm/glm.hpp>
#include <limits>

namespace talus {

// Of one quantity: a position, a rotation vector, the value of a joint.
struct Limits {
  double speed = std::numeric_limits<double>::infinity();         // per s
  double acceleration = std::numeric_limits<double>::infinity();  // per s2
};

// The greatest speed in a step of dt from which, slowing down in every step after it, the way is not exceeded; with it
// in each step, one stops at its end.
double stopping_speed(double way, double acceleration, double dt);

// The velocity of the next step on the way to a place (a vector from here), after a step with `velocity`.
glm::dvec3 velocity_to(const glm::dvec3& way, const glm::dvec3& velocity, const Limits& limits, double dt);

// The same on the way to another velocity.
glm::dvec3 velocity_after(const glm::dvec3& wanted, const glm::dvec3& velocity, const Limits& limits, double dt);

}  // namespace talus
