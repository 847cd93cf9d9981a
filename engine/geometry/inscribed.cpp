#include "engine/geometry/inscribed.h"
#include "engine/geometry/triangle_grid.h"
#include <algorithm>

namespace talus {
namespace {

constexpr int cells_along = 20;  // the longest edge

// A place within the mesh.
struct Candidate {
  glm::dvec3 place;  // m
  double depth;      // m, of the surface: the radius of the sphere there
  bool covered = false;
};

double shortest(const glm::dvec3& edges) {
  return std::min({edges.x, edges.y, edges.z});
}
double longest(const glm::dvec3& edges) {
  return std::max({edges.x, edges.y, edges.z});
}

// Distances within a mesh, to rounding.
class Depths {
public:
  // No place within is deeper than half the shortest edge of the box around the mesh.
  explicit Depths(const Mesh& mesh)
      : box_(bounds(mesh)), edge_(longest(box_.max - box_.min)),
        grid_(triangle_grid(mesh, true, 0.51 * shortest(box_.max - box_.min))) {}

  double at(const glm::dvec3& p) const { return -static_cast<double>(sample(grid_, glm::vec3(p)).distance); }

  // Those in the middle of the cells of a grid.
  std::vector<Candidate> candidates() const {
    const double cell = edge_ / cells_along;
    const glm::ivec3 count(glm::max(glm::ceil((box_.max - box_.min) / cell - 1e-6), 1.0));
    const glm::dvec3 edges = (box_.max - box_.min) / glm::dvec3(count);
    std::vector<Candidate> inside;
    for (int z = 0; z < count.z; ++z)
      for (int y = 0; y < count.y; ++y)
        for (int x = 0; x < count.x; ++x)
          if (const glm::dvec3 p = box_.min + (glm::dvec3(x, y, z) + 0.5) * edges; at(p) > 0.0)
            inside.push_back({p, at(p)});
    return inside;
  }

  // The deepest place near one, by steps that halve.
  glm::dvec4 deepest(const Candidate& from) const {
    constexpr double finest = 1e-5;  // of the longest edge
    glm::dvec3 place = from.place;
    double depth = from.depth;
    for (double step = edge_ / (2 * cells_along); step > finest * edge_;) {
      bool better = false;
      for (int k = 0; k < 27; ++k) {
        const glm::dvec3 p = place + step * (glm::dvec3(k % 3, k / 3 % 3, k / 9) - 1.0);
        if (const double there = at(p); there > depth * (1.0 + 1e-9)) {
          place = p;
          depth = there;
          better = true;
        }
      }
      if (!better)
        step /= 2.0;
    }
    return {place, depth};
  }

private:
  Bounds box_;
  double edge_;  // m, the longest
  TriangleGrid grid_;
};

bool within(const glm::dvec3& p, const glm::dvec4& sphere) {
  const glm::dvec3 d = p - glm::dvec3(sphere);
  return glm::dot(d, d) < sphere.w * sphere.w;
}

}  // namespace

std::vector<glm::dvec4> inscribed_spheres(const Mesh& mesh, std::size_t count) {
  constexpr double least = 0.1;  // of the largest radius
  const Depths depths(mesh);
  std::vector<Candidate> candidates = depths.candidates();
  if (candidates.empty())
    throw MeshError(
        "the mesh is too thin for spheres: none of the places on a grid of a twentieth of its length lies within it");
  std::vector<glm::dvec4> spheres{depths.deepest(*std::ranges::max_element(candidates, {}, &Candidate::depth))};
  const auto touches = [&](const Candidate& c) {
    return std::ranges::any_of(
        spheres, [&](const glm::dvec4& s) { return glm::distance(c.place, glm::dvec3(s)) < c.depth + s.w; });
  };
  for (;;) {
    for (Candidate& c : candidates)
      c.covered = c.covered || within(c.place, spheres.back());
    if (spheres.size() >= count)
      return spheres;
    std::vector<glm::dvec3> uncovered;
    for (const Candidate& c : candidates)
      if (!c.covered)
        uncovered.push_back(c.place);
    std::size_t most = 0;
    glm::dvec4 best{};
    for (const Candidate& c : candidates) {
      if (c.depth < least * spheres[0].w || !touches(c))
        continue;
      const glm::dvec4 sphere(c.place, c.depth);
      const auto covers = static_cast<std::size_t>(
          std::ranges::count_if(uncovered, [&](const glm::dvec3& p) { return within(p, sphere); }));
      if (covers > most) {
        most = covers;
        best = sphere;
      }
    }
    if (most == 0)
      return spheres;
    spheres.push_back(best);
  }
}

}  // namespace talus
