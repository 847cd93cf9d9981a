#include "engine/geometry/surface_sampling.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <unordered_map>

namespace talus {
namespace {

// Darts for each square of the spacing, before gaps are looked for one by one.
constexpr double darts_per_square = 4.0;
constexpr double gap_least = 0.02;  // spacings: smaller pieces of the surface are not looked at
constexpr double squares_most = 5e7;

// Points by cells as wide as the spacing.
class Cells {
public:
  explicit Cells(double spacing) : spacing_(spacing) {}

  // Is a point so near to all of these that none of them, nor anything between them, is free?
  bool covered(std::span<const glm::dvec3> all) const {
    const glm::i64vec3 home = cell(all[0]);
    for (int n = 0; n < 27; ++n) {
      const auto found = cells_.find(key(home + glm::i64vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
      if (found != cells_.end() && std::ranges::any_of(found->second, [&](const glm::dvec3& point) {
            return std::ranges::all_of(all, [&](const glm::dvec3& p) { return glm::distance(p, point) < spacing_; });
          }))
        return true;
    }
    return false;
  }
  void add(const glm::dvec3& p) { cells_[key(cell(p))].push_back(p); }

private:
  glm::i64vec3 cell(const glm::dvec3& p) const { return glm::i64vec3(glm::floor(p / spacing_)); }
  // Cells that share a key only cost time.
  static std::uint64_t key(const glm::i64vec3& c) {
    return (static_cast<std::uint64_t>(c.x) & 0x1FFFFF) | (static_cast<std::uint64_t>(c.y) & 0x1FFFFF) << 21 |
           (static_cast<std::uint64_t>(c.z) & 0x1FFFFF) << 42;
  }

  double spacing_;
  std::unordered_map<std::uint64_t, std::vector<glm::dvec3>> cells_;
};

using Piece = std::array<glm::dvec3, 3>;

Piece piece_of(const Mesh& mesh, const glm::uvec3& t) {
  return {glm::dvec3(mesh.vertices[t[0]]), glm::dvec3(mesh.vertices[t[1]]), glm::dvec3(mesh.vertices[t[2]])};
}

glm::dvec3 across(const Piece& t) {  // normal, as long as twice the area
  return glm::cross(t[1] - t[0], t[2] - t[0]);
}

glm::dvec3 place_in(const Piece& t, Random& random) {
  double u = random.unit(), v = random.unit();
  if (u + v > 1.0) {
    u = 1.0 - u;
    v = 1.0 - v;
  }
  return t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]);
}

class Sampler {
public:
  Sampler(double spacing, Random& random) : spacing_(spacing), cells_(spacing), random_(random) {}

  void dart(const Piece& piece) {
    const std::array<glm::dvec3, 1> p{place_in(piece, random_)};
    if (cells_.covered(p))
      return;
    cells_.add(p[0]);
    points.push_back({glm::vec3(p[0]), glm::vec3(glm::normalize(across(piece)))});
  }

  // Darts at what is not covered, in ever smaller pieces.
  void fill_gaps(std::vector<Piece> pieces) {
    std::vector<Piece> next;
    for (; !pieces.empty(); pieces.swap(next), next.clear())
      for (const Piece& t : pieces) {
        if (!cells_.covered(t))
          dart(t);
        if (cells_.covered(t) || edge(t) < gap_least * spacing_)
          continue;
        const glm::dvec3 ab = 0.5 * (t[0] + t[1]), bc = 0.5 * (t[1] + t[2]), ca = 0.5 * (t[2] + t[0]);
        for (const Piece& part : {Piece{t[0], ab, ca}, Piece{ab, t[1], bc}, Piece{ca, bc, t[2]}, Piece{ab, bc, ca}})
          next.push_back(part);
      }
  }

  std::vector<SurfacePoint> points;

private:
  static double edge(const Piece& t) {
    return std::max({glm::distance(t[0], t[1]), glm::distance(t[1], t[2]), glm::distance(t[2], t[0])});
  }

  double spacing_;
  Cells cells_;
  Random& random_;
};

}  // namespace

std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double spacing, Random& random) {
  std::vector<double> areas;  // of the triangles up to each one
  std::vector<Piece> pieces;
  double sum = 0.0;
  for (const glm::uvec3& t : mesh.triangles) {
    pieces.push_back(piece_of(mesh, t));
    areas.push_back(sum += 0.5 * glm::length(across(pieces.back())));
  }
  const double squares = sum / (spacing * spacing);
  if (!(squares <= squares_most))
    throw MeshError(fmt::format("surface: {:.3g} m2 are too much for points {} m apart: at most {:.3g} m2", sum,
                                spacing, squares_most * spacing * spacing));
  Sampler sampler(spacing, random);
  const auto darts = static_cast<std::uint64_t>(std::ceil(darts_per_square * squares));
  for (std::uint64_t n = 0; n < darts && sum > 0.0; ++n) {
    const double at = random.unit() * sum;
    const auto triangle = static_cast<std::size_t>(std::ranges::upper_bound(areas, at) - areas.begin());
    if (triangle < pieces.size())
      sampler.dart(pieces[triangle]);
  }
  std::erase_if(pieces, [](const Piece& t) { return !(glm::length(across(t)) > 0.0); });
  sampler.fill_gaps(std::move(pieces));
  return std::move(sampler.points);
}

}  // namespace talus
