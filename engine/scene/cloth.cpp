#include "engine/scene/cloth.h"
#include "engine/base/assert.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bounds nothing{glm::dvec3(infinity), glm::dvec3(-infinity)};

constexpr double near_enough = 1e-6;  // of the longest side: rounding of what lies on the face of pin_box

// Mean stretch of a sheet that hangs, over rows of sides * g h^2 / side / iterations: each iteration carries the weight
// of a row one side further. Measured by an edge and by two corners, 1 to 15 iterations: 0.3 to 1.2, with vts to 2.9.
constexpr double hanging_stretch = 1.0;

struct Sheet {
  ClothSheet operator()(const ClothGrid& grid) const { return cloth_grid(grid.size, grid.cells); }
  ClothSheet operator()(const MeshPart& part) const { return cloth_mesh(part.loaded->mesh); }
};

Bounds bounds_of(const ClothSheet& sheet, const Pose& pose) {
  Bounds own = nothing;
  for (const glm::dvec3& v : sheet.vertices) {
    const glm::dvec3 p = (pose * Pose{v}).position;
    own = {glm::min(own.min, p), glm::max(own.max, p)};
  }
  return own;
}

// J/kg, of a vertex that falls to the far end of the domain, or along an open axis to that of what the scene shows.
// Held by pins it falls no further below the lowest of them than the cloth is long.
double energy_of_fall(const ClothSpec& cloth, const ClothSheet& sheet, const Domain& domain, const Bounds& shown) {
  const Pose pose = pose_of(cloth);
  const Bounds own = bounds_of(sheet, pose);
  double energy = 0.0;
  for (int a = 0; a < 3; ++a) {
    const bool open = domain.axis[static_cast<std::size_t>(a)] == Axis::open;
    const double drop = domain.gravity[a] < 0.0 ? own.max[a] - (open ? shown.min[a] : domain.min[a])
                                                : (open ? shown.max[a] : domain.max[a]) - own.min[a];
    energy += std::abs(domain.gravity[a]) * std::max(0.0, drop);
  }
  const std::vector<bool> pinned = pinned_of(cloth, sheet);
  double highest = -infinity, lowest_pin = infinity;  // J/kg
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    const double height = -glm::dot(domain.gravity, (pose * Pose{sheet.vertices[i]}).position);
    highest = std::max(highest, height);
    if (pinned[i])
      lowest_pin = std::min(lowest_pin, height);
  }
  const double length = glm::distance(own.min, own.max);
  return lowest_pin < infinity ? std::min(energy, highest - lowest_pin + glm::length(domain.gravity) * length) : energy;
}

}  // namespace

Bounds bounds_of(const ClothSpec& cloth, const ClothSheet& sheet) {
  return bounds_of(sheet, pose_of(cloth));
}

ClothSheet sheet_of(const ClothSpec& cloth) {
  return std::visit(Sheet{}, cloth.sheet);
}

Pose pose_of(const ClothSpec& cloth) {
  return {cloth.position, rotation_of(cloth.rotation)};
}

SideRange sides_of(const ClothSheet& sheet) {
  if (sheet.triangles.empty())
    return {};
  SideRange sides{std::numeric_limits<double>::infinity(), 0.0};
  for (const glm::uvec3& t : sheet.triangles)
    for (int c = 0; c < 3; ++c) {
      const double side = glm::distance(sheet.vertices[t[c]], sheet.vertices[t[(c + 1) % 3]]);
      sides = {std::min(sides.min, side), std::max(sides.max, side)};
    }
  return sides;
}

std::uint32_t nearest_vertex(const ClothSheet& sheet, const glm::dvec3& place) {
  TALUS_ASSERT(!sheet.vertices.empty(), sheet.triangles.size());
  const auto nearest =
      std::ranges::min_element(sheet.vertices, {}, [&](const glm::dvec3& v) { return glm::dot(v - place, v - place); });
  return static_cast<std::uint32_t>(nearest - sheet.vertices.begin());
}

std::vector<bool> pinned_of(const ClothSpec& cloth, const ClothSheet& sheet) {
  std::vector<bool> pinned(sheet.vertices.size(), false);
  for (const glm::dvec3& pin : cloth.pins)
    pinned[nearest_vertex(sheet, pin)] = true;
  if (cloth.pin_box) {
    const double slack = near_enough * sides_of(sheet).max;
    for (std::size_t i = 0; i < pinned.size(); ++i)
      if (const glm::dvec3& v = sheet.vertices[i]; glm::all(glm::greaterThanEqual(v, cloth.pin_box->min - slack)) &&
                                                   glm::all(glm::lessThanEqual(v, cloth.pin_box->max + slack)))
        pinned[i] = true;
  }
  return pinned;
}

std::string misplaced(const ClothSpec& cloth, const ClothSheet& sheet, const Domain& domain) {
  const auto [low, high] = bounds_of(cloth, sheet);
  for (int a = 0; a < 3; ++a) {
    const Axis axis = domain.axis[static_cast<std::size_t>(a)];
    const double edge = domain.max[a] - domain.min[a], slack = 1e-9 * edge;
    if (axis != Axis::open && (low[a] < domain.min[a] - slack || high[a] > domain.max[a] + slack))
      return fmt::format("reaches from {:.9g} to {:.9g} m in {}, outside the domain: allowed is {:.9g} to {:.9g} m",
                         low[a], high[a], "xyz"[a], domain.min[a], domain.max[a]);
    // Distances are taken to the nearest image.
    if (axis == Axis::periodic && high[a] - low[a] > 0.5 * edge)
      return fmt::format("is {:.9g} m long in {}, too long for a periodic axis: allowed is half of it, {:.9g} m",
                         high[a] - low[a], "xyz"[a], 0.5 * edge);
  }
  return {};
}

ClothPace pace_of(const Scene& scene) {
  if (scene.cloths.empty())
    return {};
  std::vector<ClothSheet> sheets;
  Bounds shown = nothing;
  const auto show = [&](const Bounds& b) {
    for (int a = 0; a < 3; ++a)
      if (std::isfinite(b.max[a] - b.min[a])) {
        shown.min[a] = std::min(shown.min[a], b.min[a]);
        shown.max[a] = std::max(shown.max[a], b.max[a]);
      }
  };
  for (const ClothSpec& cloth : scene.cloths)
    show(bounds_of(cloth, sheets.emplace_back(sheet_of(cloth))));
  const std::vector<Pose> poses = initial_poses(scene);
  for (std::size_t b = 0; b < poses.size(); ++b)
    show(bounds_of(scene.bodies[b], poses[b]));
  const double pushed = check_motions(scene), g = glm::length(scene.domain.gravity);
  const int iterations = scene.solver.cloth_iterations * scene.solver.iterations;
  ClothPace pace;
  for (std::size_t k = 0; k < sheets.size(); ++k) {
    const ClothSpec& cloth = scene.cloths[k];
    const double side = sides_of(sheets[k]).min, fall = energy_of_fall(cloth, sheets[k], scene.domain, shown);
    const double speed = std::sqrt(glm::dot(cloth.velocity, cloth.velocity) + 2 * fall) + pushed;
    const Bounds own = bounds_of(sheets[k], {});
    const glm::dvec3 edges = own.max - own.min;
    const double rows = std::max({edges.x, edges.y, edges.z}) / side;
    pace.sides = std::max(pace.sides, speed / side);
    pace.stretch = std::max(pace.stretch, hanging_stretch * rows * g / (side * iterations));
  }
  return pace;
}

}  // namespace talus
