#include "engine/scene/bodies.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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
  double far = 0.0;

  Solid::Primitive operator()(const PlanePart&) const { return Solid::Plane{}; }
  Solid::Primitive operator()(const BoxPart& p) const { return Solid::Box{p.size / 2.0}; }
  Solid::Primitive operator()(const SpherePart& p) const { return Solid::Sphere{p.radius}; }
  Solid::Primitive operator()(const CapsulePart& p) const { return Solid::Capsule{p.radius, p.height / 2 - p.radius}; }
  Solid::Primitive operator()(const ConePart& p) const { return Solid::Cone{p.radius, p.top_radius, p.height / 2}; }
  Solid::Primitive operator()(const TorusPart& p) const { return Solid::Torus{p.radius, p.section}; }
  Solid::Primitive operator()(const MeshPart& p) const {
    return Solid::Mesh{with_place(p, [&] { return shared_triangle_grid(p.loaded->mesh, p.loaded->closed, far); })};
  }
};

}  // namespace

BodyNames::BodyNames(const Scene& scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    bodies_.try_emplace(scene.bodies[b].name, b);
}

std::optional<std::size_t> BodyNames::find(const std::string& name) const {
  const auto found = bodies_.find(name);
  return found != bodies_.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<std::vector<std::size_t>> ignored_bodies(const Scene& scene) {
  std::vector<std::vector<std::size_t>> all(scene.bodies.size());
  const BodyNames names(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySpec& spec = scene.bodies[b];
    for (const std::string& name : spec.ignores) {
      const std::optional<std::size_t> found = names.find(name);
      if (!found || name == spec.name)
        throw SceneError(fmt::format("{} = \"{}\" is not another body of the scene: give the name of another [[body]]",
                                     spec.ignores_where.empty() ? scene.source + ": body " + spec.name + ": ignores"
                                                                : spec.ignores_where,
                                     name));
      all[b].push_back(*found);
    }
  }
  return all;
}

Pose pose_of(const BodySpec& body) {
  return {body.position, rotation_of(body.rotation)};
}

bool is_boundary(const BodyPart& part) {
  const auto* mesh = std::get_if<MeshPart>(&part.shape);
  return mesh && mesh->as == MeshAs::particles;
}

Solid solid_of(const BodySpec& body, const Pose& pose, double far) {
  return solid_of(body.parts, pose, far);
}

Solid solid_of(const std::vector<BodyPart>& parts, const Pose& pose, double far) {
  Solid solid;
  for (const BodyPart& part : parts)
    if (!is_boundary(part)) {
      const Pose at = pose * Pose{part.position, rotation_of(part.rotation)};
      solid.parts.push_back({std::visit(Primitive{far}, part.shape), at.position, at.rotation, part.subtract});
    }
  return solid;
}

glm::dquat rotation_of(const glm::dvec3& degrees) {
  const glm::dvec3 angle = glm::radians(degrees);
  return glm::angleAxis(angle.z, glm::dvec3(0, 0, 1)) * glm::angleAxis(angle.y, glm::dvec3(0, 1, 0)) *
         glm::angleAxis(angle.x, glm::dvec3(1, 0, 0));
}

glm::dvec3 angles_of(const glm::dquat& rotation) {
  const glm::dmat3 m = glm::mat3_cast(rotation);  // m[column][row]
  const double cosine = std::hypot(m[0][0], m[0][1]);
  const double y = std::atan2(-m[0][2], cosine);
  // With y at 90 degrees, x and z turn about one axis.
  constexpr double upright = 1e-8;
  const double x = cosine > upright ? std::atan2(m[1][2], m[2][2]) : 0.0;
  const double z = cosine > upright ? std::atan2(m[0][1], m[0][0]) : std::atan2(-m[1][0], m[1][1]);
  return glm::degrees(glm::dvec3(x, y, z)) + 0.0;  // without -0, which the text of a scene has as 0
}

Bounds bounds_of(const BodySpec& body, const Pose& pose) {
  return bounds_of(body.parts, pose);
}

Bounds bounds_of(const std::vector<BodyPart>& parts, const Pose& pose) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (parts.empty())
    return {pose.position, pose.position};
  Bounds all{glm::dvec3(infinity), glm::dvec3(-infinity)};
  const auto add = [&](const glm::dvec3& low, const glm::dvec3& high) {
    all = {glm::min(all.min, low), glm::max(all.max, high)};
  };
  for (const BodyPart& part : parts) {
    const Pose at = pose * Pose{part.position, rotation_of(part.rotation)};
    if (const auto* mesh = std::get_if<MeshPart>(&part.shape)) {
      for (const glm::vec3& v : mesh->loaded->mesh.vertices) {
        const glm::dvec3 p = (at * Pose{glm::dvec3(v)}).position;
        add(p, p);
      }
    } else if (!part.subtract) {
      const Solid one{{{std::visit(Primitive{}, part.shape), at.position, at.rotation}}};
      const Bounds own = bounds(one);
      add(own.min, own.max);
    }
  }
  return all;
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
