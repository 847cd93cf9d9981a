#include "viewer/renderer_slice.h"
#include "engine/scene/bodies.h"
#include "viewer/renderer_frame.h"
#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr std::uint32_t nodes = 192;  // along each edge
constexpr double margin = 1.25;       // so far the field is shown, of the body's own extent
constexpr double bands = 12.0;        // from the middle to the edge, about

// Of the body's frame; what is endless ends there.
Bounds limited(Bounds bounds, double room) {
  for (int a = 0; a < 3; ++a) {
    bounds.min[a] = std::max(bounds.min[a], -room);
    bounds.max[a] = std::min(bounds.max[a], room);
  }
  return bounds;
}

}  // namespace

std::vector<float> cut(shared::DrawFrame& frame, const Scene& scene, const Slice& slice, double room) {
  const BodySpec& body = scene.bodies.at(slice.body);
  const Bounds bounds = limited(bounds_of(body, Pose{}), room);
  const glm::dvec3 half = 0.5 * (bounds.max - bounds.min);
  const double edge = margin * std::max({half.x, half.y, half.z});
  glm::dvec3 middle = 0.5 * (bounds.min + bounds.max), x(0.0), y(0.0);
  middle[slice.axis] += slice.place * half[slice.axis];
  x[(slice.axis + 1) % 3] = edge;
  y[(slice.axis + 2) % 3] = edge;
  frame.slice_body = slice.body;
  frame.slice_nodes = nodes;
  frame.slice_step = round_number(static_cast<float>(edge / bands));
  frame.slice_middle = middle;
  frame.slice_x = x;
  frame.slice_y = y;

  const Solid solid = solid_of(body, Pose{}, 2.0 * edge);
  const auto along = [](std::uint32_t k) { return 2.0 * k / (nodes - 1.0) - 1.0; };
  std::vector<float> distances;
  distances.reserve(std::size_t{nodes} * nodes);
  for (std::uint32_t row = 0; row < nodes; ++row)
    for (std::uint32_t column = 0; column < nodes; ++column)
      distances.push_back(static_cast<float>(sample(solid, middle + along(column) * x + along(row) * y).distance));
  return distances;
}

}  // namespace talus
