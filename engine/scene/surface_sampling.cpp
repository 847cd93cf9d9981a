#include "engine/scene/surface_sampling.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <unordered_map>

namespace talus {
namespace {

// Darts for each square of the spacing, before gaps are looked for one by one.
constexpr double darts_per_square = 4.0;
constexpr double gap_least = 0.02;  // spacings: smaller pieces of the surface are not looked at
// Random places end at 0.7 points for each square of the spacing (disks of that diameter cover 0.547 of the surface).
constexpr double points_per_square = 0.7;

// Points by cells four times as wide as the spacing: what is near lies in eight of them at most.
class PointCells {
public:
  explicit PointCells(double spacing) : edge_(4.0 * spacing) { TALUS_ASSERT(spacing > 0.0, spacing); }

  // Calls visit(point), until it returns true, for all points no further than `reach` from a place, and some others.
  // Returns whether visit did.
  bool any(const glm::dvec3& place, double reach, auto&& visit) const {
    const glm::i64vec3 low = cell(place - reach), high = cell(place + reach);
    for (std::int64_t z = low.z; z <= high.z; ++z)
      for (std::int64_t y = low.y; y <= high.y; ++y)
        for (std::int64_t x = low.x; x <= high.x; ++x)
          if (const auto found = cells_.find(key({x, y, z})); found != cells_.end())
            for (const glm::dvec3& point : found->second)
              if (visit(point))
                return true;
    return false;
  }
  void add(const glm::dvec3& p) { cells_[key(cell(p))].push_back(p); }

private:
  glm::i64vec3 cell(const glm::dvec3& p) const { return glm::i64vec3(glm::floor(p / edge_)); }
  // Cells that share a key only cost time.
  static std::uint64_t key(const glm::i64vec3& c) {
    return (static_cast<std::uint64_t>(c.x) & 0x1FFFFF) | (static_cast<std::uint64_t>(c.y) & 0x1FFFFF) << 21 |
           (static_cast<std::uint64_t>(c.z) & 0x1FFFFF) << 42;
  }

  double edge_;  // m
  std::unordered_map<std::uint64_t, std::vector<glm::dvec3>> cells_;
};

using Piece = std::array<glm::dvec3, 3>;

Piece piece_of(const Mesh& mesh, const glm::uvec3& t) {
  TALUS_ASSERT(std::max({t.x, t.y, t.z}) < mesh.vertices.size(), t.x, t.y, t.z, mesh.vertices.size());
  return {glm::dvec3(mesh.vertices[t[0]]), glm::dvec3(mesh.vertices[t[1]]), glm::dvec3(mesh.vertices[t[2]])};
}

glm::dvec3 across(const Piece& t) {  // normal, as long as twice the area
  return glm::cross(t[1] - t[0], t[2] - t[0]);
}

// The edge from corner k to the next one.
double edge(const Piece& t, std::size_t k) {
  return glm::distance(t[k], t[(k + 1) % 3]);
}
std::size_t longest_edge_of(const Piece& t) {
  return edge(t, 0) >= edge(t, 1) && edge(t, 0) >= edge(t, 2) ? 0 : edge(t, 1) >= edge(t, 2) ? 1 : 2;
}
double longest_edge(const Piece& t) {
  return edge(t, longest_edge_of(t));
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

  void dart(const Piece& triangle) {
    const glm::dvec3 p = place_in(triangle, random_);
    normal_ = normal_of(triangle);
    if (!cells_.any(p, spacing_, [&](const glm::dvec3& point) { return glm::distance(p, point) < spacing_; }))
      add(p);
  }

  // Darts at what is not covered, in pieces that are first no longer than twice the spacing, and ever smaller.
  void fill_gaps(const Piece& triangle) {
    normal_ = normal_of(triangle);
    for (wide_.assign(1, triangle); !wide_.empty();) {
      const Piece t = wide_.back();
      wide_.pop_back();
      if (longest_edge(t) <= 2.0 * spacing_)
        fill_piece(t);
      else
        slice(t);
    }
  }

  std::vector<SurfacePoint> points;

private:
  // The neighbours of a piece are looked for once, not for each of its points.
  void fill_piece(const Piece& whole) {
    near_.clear();
    const double reach = spacing_ + longest_edge(whole);
    cells_.any(whole[0], reach, [&](const glm::dvec3& point) {
      if (glm::distance(whole[0], point) < reach)
        near_.push_back(point);
      return false;
    });
    for (pieces_.assign(1, whole); !pieces_.empty();) {
      const Piece t = pieces_.back();
      pieces_.pop_back();
      if (covered(t))
        continue;
      if (const glm::dvec3 p = place_in(t, random_); !covered(std::array{p})) {
        add(p);
        near_.push_back(p);
        if (covered(t))
          continue;
      }
      if (longest_edge(t) >= gap_least * spacing_)
        halve(t);
    }
  }

  // Is one of the points near so near to all of these that none of them, nor anything between them, is free?
  bool covered(const auto& all) const {
    return std::ranges::any_of(near_, [&](const glm::dvec3& point) {
      return std::ranges::all_of(all, [&](const glm::dvec3& p) { return glm::distance(p, point) < spacing_; });
    });
  }

  // Across its longest edge, into strips no wider than the spacing. Halves of halves of a sliver would stay slivers,
  // and their number would grow with the square of its length.
  void slice(const Piece& t) {
    const std::size_t k = longest_edge_of(t);
    const glm::dvec3 a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3], along = b - a;
    const double tip = std::clamp(glm::dot(c - a, along) / glm::dot(along, along), 0.0, 1.0);
    const auto above = [&](double share) {
      return share <= tip ? a + (tip > 0.0 ? share / tip : 0.0) * (c - a) : c + (share - tip) / (1.0 - tip) * (b - c);
    };
    const double strips = std::ceil(glm::length(along) / spacing_);
    for (double strip = 0.0; strip < strips; ++strip) {
      const double low = strip / strips, high = (strip + 1.0) / strips;
      const glm::dvec3 first = a + low * along;
      glm::dvec3 last = a + high * along;
      const auto add_piece = [&](const glm::dvec3& next) {
        if (const Piece piece{first, last, next}; glm::length(across(piece)) > 0.0)
          wide_.push_back(piece);
        last = next;
      };
      add_piece(above(high));
      if (low < tip && tip < high)
        add_piece(c);
      add_piece(above(low));
    }
  }

  void halve(const Piece& t) {
    const std::size_t a = longest_edge_of(t), b = (a + 1) % 3, c = (a + 2) % 3;
    const glm::dvec3 middle = 0.5 * (t[a] + t[b]);
    pieces_.push_back({t[a], middle, t[c]});
    pieces_.push_back({middle, t[b], t[c]});
  }

  static glm::vec3 normal_of(const Piece& t) { return glm::vec3(glm::normalize(across(t))); }

  void add(const glm::dvec3& p) {
    cells_.add(p);
    points.push_back({glm::vec3(p), normal_});
  }

  double spacing_;
  PointCells cells_;
  Random& random_;
  glm::vec3 normal_{0.0f};        // of the triangle: that of a small piece may be lost in rounding
  std::vector<glm::dvec3> near_;  // points that a piece may be covered by
  // Pieces that are still to be looked at: of a triangle, and of one of these.
  std::vector<Piece> wide_, pieces_;
};

// Refuses what would take too long or too much memory, before any work. A sliver has points along its edge, however
// small its area.
void check_number(const Mesh& mesh, std::span<const Piece> pieces, double area, double spacing) {
  double points = 0.0;
  for (const Piece& t : pieces)
    points += std::max(points_per_square * 0.5 * glm::length(across(t)) / (spacing * spacing),
                       std::floor(longest_edge(t) / spacing));
  if (!(points <= surface_points_most))
    throw MeshError(
        fmt::format("surface: {:.3g} m2 take about {:.3g} points {:.4g} m apart, the limit is {:.3g}: give a "
                    "larger radius, or the mesh a smaller scale",
                    area, points, spacing, surface_points_most));
  const Bounds box = bounds(mesh);
  const glm::dvec3 corner = glm::max(glm::abs(box.min), glm::abs(box.max));
  const double away = std::max({corner.x, corner.y, corner.z});
  if (!(away * std::numeric_limits<float>::epsilon() < 0.1 * spacing))
    throw MeshError(fmt::format("surface: it reaches {:.3g} m from its origin, too far for points {:.4g} m apart in "
                                "single precision: move the mesh towards its origin, or give a larger radius",
                                away, spacing));
}

}  // namespace

std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double spacing, Random& random) {
  std::vector<double> areas;  // of the triangles up to each one
  std::vector<Piece> pieces;
  double sum = 0.0;
  for (const glm::uvec3& t : mesh.triangles) {
    pieces.push_back(piece_of(mesh, t));
    areas.push_back(sum += 0.5 * glm::length(across(pieces.back())));
  }
  check_number(mesh, pieces, sum, spacing);
  const double squares = sum / (spacing * spacing);
  Sampler sampler(spacing, random);
  const auto darts = static_cast<std::uint64_t>(std::ceil(darts_per_square * squares));
  for (std::uint64_t n = 0; n < darts && sum > 0.0; ++n) {
    const double at = random.unit() * sum;
    const auto triangle = static_cast<std::size_t>(std::ranges::upper_bound(areas, at) - areas.begin());
    if (triangle < pieces.size())
      sampler.dart(pieces[triangle]);
  }
  for (const Piece& t : pieces)
    if (glm::length(across(t)) > 0.0)
      sampler.fill_gaps(t);
  return std::move(sampler.points);
}

}  // namespace talus
