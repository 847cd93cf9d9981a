#include "engine/simulation/cloth_state.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <limits>

namespace talus {
namespace {

using namespace shared;

// d, or its image across a periodic axis that is shorter.
vec3 shortest(vec3 d, const Settings& s) {
  for (int a = 0; a < 3; ++a)
    if (s.domain.axis[a] == axis_periodic) {
      const float period = s.domain.max[a] - s.domain.min[a];
      d[a] -= period * std::round(d[a] / period);
    }
  return d;
}

// From vertex to vertex along the edges, each next to the one before. What hangs together with nothing stays.
void mend(std::vector<vec3>& positions, const ClothSheet& sheet, const Settings& settings) {
  std::vector<std::vector<uint>> neighbours(positions.size());
  for (const ClothEdge& edge : sheet.edges) {
    neighbours[edge.ends.x].push_back(edge.ends.y);
    neighbours[edge.ends.y].push_back(edge.ends.x);
  }
  std::vector<bool> seen(positions.size());
  std::vector<uint> next;
  for (uint first = 0; first < positions.size(); ++first) {
    if (!seen[first])
      next.push_back(first);
    seen[first] = true;
    while (!next.empty()) {
      const uint v = next.back();
      next.pop_back();
      for (const uint n : neighbours[v])
        if (!seen[n]) {
          seen[n] = true;
          positions[n] = positions[v] + shortest(positions[n] - positions[v], settings);
          next.push_back(n);
        }
    }
  }
}

}  // namespace

ClothState cloth_state_of(const ClothSheet& sheet, std::span<const Grain> vertices, const Settings& settings) {
  TALUS_ASSERT(vertices.size() == sheet.vertices.size(), vertices.size(), sheet.vertices.size());
  ClothState out;
  out.triangles = sheet.triangles;
  for (const Grain& v : vertices) {
    out.positions.emplace_back(v.position);
    out.velocities.emplace_back(v.velocity);
    if (v.velocity.w > 0.0f)
      out.kinetic_energy += 0.5 * glm::dot(glm::dvec3(v.velocity), glm::dvec3(v.velocity)) / v.velocity.w;
  }
  if (settings.domain.axis.x == axis_periodic || settings.domain.axis.y == axis_periodic ||
      settings.domain.axis.z == axis_periodic)
    mend(out.positions, sheet, settings);
  std::size_t count = 0;
  double sum = 0.0, most = -std::numeric_limits<double>::infinity();
  for (const ClothEdge& edge : sheet.edges)
    if (edge.kind == ClothLinkKind::stretch) {
      const auto length = [&](const auto& places) {
        return glm::distance(glm::dvec3(places[edge.ends.x]), glm::dvec3(places[edge.ends.y]));
      };
      const double strain = length(out.positions) / length(sheet.vertices) - 1.0;
      sum += strain;
      most = std::max(most, strain);
      ++count;
    }
  if (count > 0) {
    out.strain_mean = sum / static_cast<double>(count);
    out.strain_max = most;
  }
  return out;
}

}  // namespace talus
