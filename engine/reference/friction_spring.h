#pragma once
// Friction of dem, and of the points of dynamic bodies.
#include "engine/fields.h"

namespace talus::reference {

// A spring and a damper across the normal, which slide where they pull harder than friction bears. slip: the speed
// across the normal; grip: what presses; shear: the spring, from what it was to what it is. What both pull with.
inline vec3 drag_of(vec3& shear, vec3 normal, vec3 slip, float kappa, float damping, float grip, const PairLaw& law) {
  shear = shear - glm::dot(shear, normal) * normal - dem_tangential * kappa * slip;
  const vec3 drag = shear - 0.5f * damping * slip;
  const float pull = glm::length(drag);
  if (pull > law.friction_static * grip)
    return shear = law.friction_kinetic * grip / pull * drag;
  return drag;
}

}  // namespace talus::reference
