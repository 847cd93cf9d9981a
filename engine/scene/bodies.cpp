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
  double operator()(const MeshPart& p) const {
    float reach = 0.0f;
    for (const glm::vec3& v : p.loaded->mesh.vertices)
      reach = std::max(reach, glm::length(v));
    return static_cast<double>(reach);
  }
};

struct Primitive {
  double far;

  Solid::Primitive operator()(const PlanePart&) const { return Solid::Plane{}; }
  Solid::Primitive operator()(const BoxPart& p) const { return Solid::Box{p.size / 2.0}; }
  Solid::Primitive operator()(const SpherePart& p) const { return Solid::Sphere{p.radius}; }
  Solid::Primitive operator()(const CapsulePart& p) const { return Solid::Capsule{p.radius, p.height / 2 - p.radius}; }
  Solid::Primitive operator()(const ConePart& p) const { return Solid::Cone{p.radius, p.top_radius, p.height / 2}; }
  Solid::Primitive operator()(const TorusPart& p) const { return Solid::Torus{p.radius, p.section}; }
  Solid::Primitive operator()(const MeshPart& p) const {
    return Solid::Mesh{std::make_shared<TriangleGrid>(triangle_grid(p.loaded->mesh, p.loaded->closed, far))};
  }
};

}  // namespace

bool is_skin(const BodyPart& part) {
  const auto* mesh = std::get_if<MeshPart>(&part.shape);
  return mesh && mesh->as == MeshAs::particles;
}

Solid solid_of(const BodySpec& body, double far) {
  const glm::dquat turn = rotation_of(body.rotation);
  Solid solid;
  for (const BodyPart& part : body.parts)
    if (!is_skin(part))
      solid.parts.push_back({std::visit(Primitive{far}, part.shape), body.position + turn * part.position,
                             turn * rotation_of(part.rotation), part.subtract});
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

double speed_of(const BodySpec& body, const Domain& domain) {
  const glm::dvec3 corner = glm::max(glm::abs(domain.max - body.position), glm::abs(domain.min - body.position));
  return glm::length(body.velocity) + glm::length(body.spin) * std::min(reach_of(body), glm::length(corner));
}

}  // namespace talus
