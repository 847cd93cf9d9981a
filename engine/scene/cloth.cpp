#include "engine/scene/cloth.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

constexpr double near_enough = 1e-6;  // of the longest side: rounding of what lies on the face of pin_box

struct Sheet {
  ClothSheet operator()(const ClothGrid& grid) const { return cloth_grid(grid.size, grid.cells); }
  ClothSheet operator()(const MeshPart& part) const { return cloth_mesh(part.loaded->mesh); }
};

}  // namespace

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
  const Pose pose = pose_of(cloth);
  glm::dvec3 low(std::numeric_limits<double>::infinity()), high = -low;
  for (const glm::dvec3& v : sheet.vertices) {
    const glm::dvec3 p = (pose * Pose{v}).position;
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
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

}  // namespace talus
