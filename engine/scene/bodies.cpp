#include "engine/scene/bodies.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

// Radius of a ball around a part's own origin.
struct Reach {
  double operator()(const PlanePart&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const BoxPart& p) const { return glm::length(p.size) / 2; }
  double operator()(const SpherePart& p) const { return p.radius; }
  double operator()(const CapsulePart& p) const { return p.height / 2; }
  double operator()(const ConePart& p) const { return std::hypot(std::max(p.radius, p.top_radius), p.height / 2); }
  double operator()(const TorusPart& p) const { return p.radius + p.section; }
};

struct Primitive {
  Solid::Primitive operator()(const PlanePart&) const { return Solid::Plane{}; }
  Solid::Primitive operator()(const BoxPart& p) const { return Solid::Box{p.size / 2.0}; }
  Solid::Primitive operator()(const SpherePart& p) const { return Solid::Sphere{p.radius}; }
  Solid::Primitive operator()(const CapsulePart& p) const { return Solid::Capsule{p.radius, p.height / 2 - p.radius}; }
  Solid::Primitive operator()(const ConePart& p) const { return Solid::Cone{p.radius, p.top_radius, p.height / 2}; }
  Solid::Primitive operator()(const TorusPart& p) const { return Solid::Torus{p.radius, p.section}; }
};

}  // namespace

Pose pose_of(const BodySpec& body) {
  return {body.position, rotation_of(body.rotation)};
}

Solid solid_of(const BodySpec& body, const Pose& pose) {
  Solid solid;
  for (const BodyPart& part : body.parts) {
    const Pose at = pose * Pose{part.position, rotation_of(part.rotation)};
    solid.parts.push_back({std::visit(Primitive{}, part.shape), at.position, at.rotation, part.subtract});
  }
  return solid;
}

glm::dquat rotation_of(const glm::dvec3& degrees) {
  const glm::dvec3 angle = glm::radians(degrees);
  return glm::angleAxis(angle.z, glm::dvec3(0, 0, 1)) * glm::angleAxis(angle.y, glm::dvec3(0, 1, 0)) *
         glm::angleAxis(angle.x, glm::dvec3(1, 0, 0));
}

double reach_of(const BodySpec& body) {
  double reach = 0.0;
  for (const BodyPart& part : body.parts)
    if (!part.subtract)
      reach = std::max(reach, glm::length(part.position) + std::visit(Reach{}, part.shape));
  return reach;
}

double speed_of(double reach, const glm::dvec3& origin, const glm::dvec3& velocity, const glm::dvec3& spin,
                const Domain& domain) {
  const glm::dvec3 corner = glm::max(glm::abs(domain.max - origin), glm::abs(domain.min - origin));
  return glm::length(velocity) + glm::length(spin) * std::min(reach, glm::length(corner));
}

}  // namespace talus
