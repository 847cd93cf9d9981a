#include "engine/geometry/crease.h"
#include "engine/base/assert.h"
#include <cmath>
#include <glm/trigonometric.hpp>

namespace talus {

Triangles creased(const Mesh& mesh, double angle) {
  struct Corner {
    glm::dvec3 face;  // normal of the triangle
    double weight;    // its angle here
    glm::uint triangle;
    int corner;
  };
  std::vector<std::vector<Corner>> around(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::uvec3 v = mesh.triangles[t];
    TALUS_ASSERT(v.x < around.size() && v.y < around.size() && v.z < around.size(), t, v.x, v.y, v.z, around.size());
    const glm::dvec3 p[3] = {mesh.vertices[v.x], mesh.vertices[v.y], mesh.vertices[v.z]};
    const glm::dvec3 across = glm::cross(p[1] - p[0], p[2] - p[0]);
    const double area = glm::length(across);
    for (int i = 0; i < 3; ++i) {
      const glm::dvec3 a = p[(i + 1) % 3] - p[i], b = p[(i + 2) % 3] - p[i];
      const double opening = std::atan2(area, glm::dot(a, b));
      around[v[i]].push_back({area > 0.0 ? across / area : glm::dvec3(0, 0, 1), opening, static_cast<glm::uint>(t), i});
    }
  }

  Triangles out;
  out.corners.resize(mesh.triangles.size());
  const double smooth = std::cos(glm::radians(angle));
  for (std::size_t v = 0; v < around.size(); ++v) {
    const std::size_t first = out.vertices.size();
    for (const Corner& own : around[v]) {
      glm::dvec3 sum(0.0);
      for (const Corner& other : around[v])
        if (glm::dot(own.face, other.face) >= smooth)
          sum += other.weight * other.face;
      const double length = glm::length(sum);
      const glm::dvec3 normal = length > 0.0 ? sum / length : own.face;
      std::size_t found = first;
      while (found < out.vertices.size() && glm::distance(out.vertices[found].normal, normal) > 1e-6)
        ++found;
      if (found == out.vertices.size())
        out.vertices.push_back({mesh.vertices[v], normal});
      out.corners[own.triangle][own.corner] = static_cast<glm::uint>(found);
    }
  }
  return out;
}

}  // namespace talus
