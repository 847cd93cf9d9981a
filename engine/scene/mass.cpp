#include "engine/scene/mass.h"
#include "engine/geometry/volume_properties.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

// Alone, in its own frame; nothing where no formula tells.
struct Exact {
  std::optional<VolumeProperties> operator()(const PlanePart&) const { return {}; }
  std::optional<VolumeProperties> operator()(const BoxPart& p) const {
    return volume_properties(Solid::Box{p.size / 2.0});
  }
  std::optional<VolumeProperties> operator()(const SpherePart& p) const {
    return volume_properties(Solid::Sphere{p.radius});
  }
  std::optional<VolumeProperties> operator()(const CapsulePart& p) const {
    return volume_properties(Solid::Capsule{p.radius, p.height / 2 - p.radius});
  }
  std::optional<VolumeProperties> operator()(const ConePart& p) const {
    return volume_properties(Solid::Cone{p.radius, p.top_radius, p.height / 2});
  }
  std::optional<VolumeProperties> operator()(const TorusPart& p) const {
    if (p.section > p.radius)
      return {};  // reaches its own axis
    return volume_properties(Solid::Torus{p.radius, p.section});
  }
  std::optional<VolumeProperties> operator()(const MeshPart& p) const { return volume_properties(p.loaded->mesh); }
};

// Boxes around parts that have more in common than a face.
bool overlap(const Bounds& a, const Bounds& b) {
  const glm::dvec3 common = glm::min(a.max, b.max) - glm::max(a.min, b.min);
  const glm::dvec3 slack = 1e-6 * glm::min(a.max - a.min, b.max - b.min);
  return glm::all(glm::greaterThan(common, slack));
}

std::optional<VolumeProperties> exact(const std::vector<BodyPart>& parts) {
  std::vector<Bounds> bounds;
  std::vector<VolumeProperties> pieces;
  for (const BodyPart& part : parts) {
    const std::optional<VolumeProperties> own = std::visit(Exact{}, part.shape);
    if (part.subtract || !own)
      return {};
    const Bounds box = bounds_of(std::vector{part}, {});
    if (std::ranges::any_of(bounds, [&](const Bounds& other) { return overlap(box, other); }))
      return {};
    bounds.push_back(box);
    pieces.push_back(posed(*own, {part.position, rotation_of(part.rotation)}));
  }
  return sum_of(pieces);
}

// What makes a part no piece of a dynamic body, or nothing.
std::string why_not(const BodyPart& part, bool weighed) {
  if (is_boundary(part))
    return "has a mesh of boundary particles, which are hollow: use the mesh with as = \"sdf\" or \"triangles\"";
  if (const auto* mesh = std::get_if<MeshPart>(&part.shape); weighed && mesh && !mesh->loaded->closed)
    return "has a mesh that encloses no volume, since its holes are too large to be closed: use a closed mesh";
  if (std::holds_alternative<PlanePart>(part.shape) && !part.subtract)
    return "has a plane, which has no end: use another geometry, or subtract = true";
  return "";
}

}  // namespace

void check_dynamic_parts(const BodySpec& body, bool weighed) {
  for (const BodyPart& part : body.parts)
    if (const std::string why = why_not(part, weighed); !why.empty())
      throw SceneError(fmt::format("body {} {}", body.name, why));
}

VolumeProperties volume_of(const BodySpec& body) {
  const auto refuse = [&](const std::string& why) { throw SceneError(fmt::format("body {} {}", body.name, why)); };
  check_dynamic_parts(body, true);
  VolumeProperties all;
  try {
    if (const auto sum = exact(body.parts)) {
      all = *sum;
    } else {
      const Bounds bounds = bounds_of(body, {});
      const glm::dvec3 edge = bounds.max - bounds.min;
      // Distances up to the corner of the largest cell.
      const double far = std::max({edge.x, edge.y, edge.z}) / 16;
      all = volume_properties(solid_of(body, {}, far), bounds);
    }
  } catch (const MeshError& e) {
    refuse(fmt::format("has no mass: {}", e.what()));
  }
  if (!(all.volume > 0.0))
    refuse("has no volume: its parts take all of it away, or are too thin to tell");
  return all;
}

MassProperties mass_of(const BodySpec& body) {
  if (body.mass && body.center && body.inertia) {
    MassProperties m{*body.mass, *body.center, inertia_matrix(*body.inertia)};
    if (!body.parts.empty()) {
      const Bounds box = bounds_of(body, {});
      const glm::dvec3 edge = box.max - box.min;
      m.volume = edge.x * edge.y * edge.z;
    }
    return m;
  }
  const bool known = body.weighed && body.weighed->parts == body.parts;
  const VolumeProperties all = known ? body.weighed->volume : volume_of(body);
  const double density = body.mass ? *body.mass / all.volume : body.density.value_or(0.0);
  return {density * all.volume, all.center, density * all.inertia, all.volume};
}

glm::dmat3 inertia_matrix(const std::array<double, 6>& elements) {
  const auto& [xx, yy, zz, xy, xz, yz] = elements;
  return {xx, xy, xz, xy, yy, yz, xz, yz, zz};
}

bool can_be_inertia(const glm::dvec3& moments) {
  return moments[0] > 0.0 && moments[2] <= 1.001 * (moments[0] + moments[1]);
}

// Jacobi's rotations: each makes the largest of the others' products vanish.
PrincipalAxes principal_axes(glm::dmat3 inertia) {
  glm::dmat3 axes(1.0);
  for (int sweep = 0; sweep < 32; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (std::abs(inertia[p][q]) <= 1e-18 * (std::abs(inertia[p][p]) + std::abs(inertia[q][q])))
          continue;
        const double angle = 0.5 * std::atan2(2 * inertia[p][q], inertia[q][q] - inertia[p][p]);
        glm::dmat3 turn(1.0);
        turn[p][p] = turn[q][q] = std::cos(angle);
        turn[q][p] = std::sin(angle);
        turn[p][q] = -std::sin(angle);
        inertia = glm::transpose(turn) * inertia * turn;
        axes = axes * turn;
      }
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, {}, [&](int k) { return inertia[k][k]; });
  PrincipalAxes out;
  for (int k = 0; k < 3; ++k) {
    out.moments[k] = inertia[order[static_cast<std::size_t>(k)]][order[static_cast<std::size_t>(k)]];
    out.axes[k] = axes[order[static_cast<std::size_t>(k)]];
  }
  return out;
}

}  // namespace talus
