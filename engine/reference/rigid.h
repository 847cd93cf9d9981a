#pragma once
// How dynamic bodies turn, and how easily contacts move them.
#include "engine/passes.h"
#include <cmath>

namespace talus::reference {

// Quaternions xyzw of length 1. The rotation by a vector [rad].
inline vec4 turn_by(vec3 v) {
  const float angle = glm::length(v);
  const float share = angle > 0.0f ? std::sin(0.5f * angle) / angle : 0.5f;
  return vec4(share * v, std::cos(0.5f * angle));
}

// First q, then turn.
inline vec4 then_turned(vec4 q, vec4 turn) {
  const vec3 a(turn), b(q);
  return glm::normalize(vec4(turn.w * b + q.w * a + glm::cross(a, b), turn.w * q.w - glm::dot(a, b)));
}

// Its columns are the axes of the turned frame.
inline mat3 matrix_of(vec4 q) {
  const auto column = [&](vec3 v) {
    const vec3 u(q), t = 2.0f * glm::cross(u, v);
    return v + q.w * t + glm::cross(u, t);
  };
  return mat3(column(vec3(1, 0, 0)), column(vec3(0, 1, 0)), column(vec3(0, 0, 1)));
}

// Change of the velocity of a body's point per impulse there [1/kg], for the part of its mass that one contact has.
struct Mobility {
  float along = 0.0f;   // the normal
  float across = 0.0f;  // it, at most
};
inline Mobility mobility(const Body& body, vec3 point, vec3 normal) {
  if (body.split == 0.0f)
    return {};
  const mat3 &m = body.inverse_mass, &a = body.inverse_inertia;
  const vec3 arm = point - body.pivot, turn = glm::cross(arm, normal);
  const auto trace = [](const mat3& t) { return t[0][0] + t[1][1] + t[2][2]; };
  const float along = glm::dot(normal, m * normal) + glm::dot(turn, a * turn);
  const float all = trace(m) + trace(a) * glm::dot(arm, arm) - glm::dot(arm, a * arm);  // over three directions
  return {body.split * along, body.split * std::max(all - along, 0.0f)};
}

inline vec3 velocity_at(const BodyMotion& motion, vec3 point) {
  return motion.velocity + glm::cross(motion.spin, point);
}

}  // namespace talus::reference
