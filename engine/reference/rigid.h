#pragma once
// How dynamic bodies turn, and how easily contacts move them.
#include "engine/reference/laws.h"

namespace talus::reference {

#include "shaders/shared/laws/joint.h"

// Change of the velocity of a body's point per impulse there [1/kg], for the part of its mass that one contact has.
struct Mobility {
  float along = 0.0f;   // the normal
  float across = 0.0f;  // it, at most
};
inline Mobility mobility(const Body& body, vec3 point, vec3 normal) {
  if (body.split == 0.0f)
    return {};
  const vec2 ease = body_mobility(body.split, body.pivot, body.inverse_mass, body.inverse_inertia, point, normal);
  return {ease.x, ease.y};
}

inline vec3 velocity_at(const BodyMotion& motion, vec3 point) {
  return motion.velocity + glm::cross(motion.spin, point);
}

}  // namespace talus::reference
