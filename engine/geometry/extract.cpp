#include "engine/geometry/extract.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus {

namespace {

constexpr double nodes_most = 0x1p30;
constexpr double margin = 1e-3;  // of an edge, between a vertex and the edge's ends: no triangle without area

// The corners of a cell are numbered by their offsets, x + 2 y + 4 z. A tetrahedron goes from corner 0 to corner 7
// along the axes in one of six orders; the odd orders are left-handed.
struct Tetrahedron {
  std::array<int, 4> corners;
  bool odd;
};
constexpr std::array<Tetrahedron, 6> tetrahedra{{{{0, 1, 3, 7}, false},
                                                 {{0, 2, 6, 7}, false},
                                                 {{0, 4, 5, 7}, false},
                                                 {{0, 1, 5, 7}, true},
                                                 {{0, 2, 3, 7}, true},
                                                 {{0, 4, 6, 7}, true}}};

glm::ivec3 offset(int corner) {
  return {corner & 1, corner >> 1 & 1, corner >> 2};
}

class March {
public:
  March(const std::function<float(const glm::vec3&)>& f, const Bounds& bounds, double cell, AtBounds at_bounds)
      : f_(f), at_bounds_(at_bounds), min_(bounds.min) {
    const glm::dvec3 extent = bounds.max - bounds.min;
    for (int a = 0; a < 3; ++a)
      if (!(extent[a] > 0) || !std::isfinite(extent[a]))
        fail(fmt::format("the bounds are empty in {}: {} to {} m", "xyz"[a], bounds.min[a], bounds.max[a]));
    if (!(cell > 0))
      fail(fmt::format("the cell must be above 0 m, not {}", cell));
    const glm::dvec3 cells = glm::max(glm::ceil(extent / cell), 2.0);
    if ((cells.x + 1) * (cells.y + 1) * (cells.z + 1) > nodes_most)
      fail(fmt::format("cells of {} m make a grid of {:.3g} x {:.3g} x {:.3g}, too large: take larger cells", cell,
                       cells.x, cells.y, cells.z));
    cells_ = glm::ivec3(cells);
    edge_ = extent / cells;
    row_ = static_cast<std::size_t>(cells_.x) + 1;
    plane_ = row_ * (static_cast<std::size_t>(cells_.y) + 1);
  }

  Mesh run() {
    for (int k = 0; k < 2; ++k) {
      values_[k].resize(plane_);
      crossings_[k].assign(7 * plane_, no_index);
    }
    fill(0);
    for (layer_ = 0; layer_ < cells_.z; ++layer_) {
      fill(layer_ + 1);
      for (int y = 0; y < cells_.y; ++y)
        for (int x = 0; x < cells_.x; ++x)
          march({x, y, layer_});
      std::ranges::fill(crossings_[layer_ & 1], no_index);
      if (mesh_.triangles.size() > mesh_triangles_most)
        fail(fmt::format("more than {} triangles: take larger cells", mesh_triangles_most));
    }
    return std::move(mesh_);
  }

private:
  [[noreturn]] static void fail(const std::string& what) { throw MeshError("surface: " + what); }

  glm::dvec3 place(const glm::ivec3& node) const { return min_ + glm::dvec3(node) * edge_; }
  std::size_t index(const glm::ivec3& node) const {
    TALUS_ASSERT(node.x >= 0 && node.x <= cells_.x && node.y >= 0 && node.y <= cells_.y, node.x, node.y);
    return node.x + row_ * node.y;
  }
  float& value(const glm::ivec3& node) { return values_[node.z & 1][index(node)]; }

  // The values of the nodes of one plane.
  void fill(int z) {
    for (int y = 0; y <= cells_.y; ++y)
      for (int x = 0; x <= cells_.x; ++x) {
        const glm::ivec3 node{x, y, z};
        const glm::vec3 p(place(node));
        float v = f_(p);
        if (!(std::abs(v) <= std::numeric_limits<float>::max()))
          fail(fmt::format("the function is {} at ({}, {}, {})", v, p.x, p.y, p.z));
        const bool at_bounds = glm::any(glm::equal(node, glm::ivec3(0))) || glm::any(glm::equal(node, cells_));
        if (at_bounds && v < 0) {
          if (at_bounds_ == AtBounds::refuse)
            fail(fmt::format("the inside reaches the bounds at ({}, {}, {}): give larger bounds, or have it cut off",
                             p.x, p.y, p.z));
          v = 0;
        }
        value(node) = v;
      }
  }

  void march(const glm::ivec3& cell) {
    std::array<float, 8> v;
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
      v[c] = value(cell + offset(c));
      inside += v[c] < 0;
    }
    if (inside == 0 || inside == 8)
      return;
    for (const Tetrahedron& t : tetrahedra)
      cut(cell, t, v);
  }

  // With the corners a, b, .. in an order that makes the tetrahedron right-handed: one inside, a, is cut off by
  // (ab, ac, ad), one outside by the reverse, and a and b from c and d by (ac, ad, bd, bc), counterclockwise from
  // outside.
  void cut(const glm::ivec3& cell, const Tetrahedron& t, const std::array<float, 8>& v) {
    std::array<int, 4> c = t.corners;
    const auto inside = std::stable_partition(c.begin(), c.end(), [&](int k) { return v[k] < 0; }) - c.begin();
    if (inside == 0 || inside == 4)
      return;
    bool odd = t.odd;
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j)  // corners of a tetrahedron rise, so that inversions tell the parity
        odd ^= c[i] > c[j];
    if (odd)
      inside == 3 ? std::swap(c[0], c[1]) : std::swap(c[2], c[3]);
    auto vertex = [&](int i, int j) { return crossing(cell, std::min(c[i], c[j]), std::max(c[i], c[j]), v); };
    if (inside == 1) {
      mesh_.triangles.emplace_back(vertex(0, 1), vertex(0, 2), vertex(0, 3));
    } else if (inside == 3) {
      mesh_.triangles.emplace_back(vertex(0, 3), vertex(1, 3), vertex(2, 3));
    } else {
      const std::uint32_t ac = vertex(0, 2), bd = vertex(1, 3);
      mesh_.triangles.emplace_back(ac, vertex(0, 3), bd);
      mesh_.triangles.emplace_back(ac, bd, vertex(1, 2));
    }
  }

  // The vertex on the edge between two corners, a below b: every cell at the edge finds the same one.
  std::uint32_t crossing(const glm::ivec3& cell, int a, int b, const std::array<float, 8>& v) {
    TALUS_ASSERT(a < b && (a & ~b) == 0, a, b);  // the edge runs along axes
    const glm::ivec3 node = cell + offset(a);
    std::uint32_t& found = crossings_[node.z & 1][7 * index(node) + (b - a) - 1];
    if (found == no_index) {
      found = static_cast<std::uint32_t>(mesh_.vertices.size());
      const double share = std::clamp(v[a] / (double(v[a]) - v[b]), margin, 1 - margin);
      mesh_.vertices.emplace_back(place(node) + share * glm::dvec3(offset(b) - offset(a)) * edge_);
    }
    return found;
  }

  const std::function<float(const glm::vec3&)>& f_;
  AtBounds at_bounds_;
  glm::dvec3 min_, edge_{};
  glm::ivec3 cells_{};
  std::size_t row_ = 0, plane_ = 0;
  int layer_ = 0;
  // Of two planes of nodes, by the parity of z: values, and vertices on the seven edges that start at a node.
  std::array<std::vector<float>, 2> values_;
  std::array<std::vector<std::uint32_t>, 2> crossings_;
  Mesh mesh_;
};

}  // namespace

Mesh extract_surface(const std::function<float(const glm::vec3&)>& f, const Bounds& bounds, double cell,
                     AtBounds at_bounds) {
  return March(f, bounds, cell, at_bounds).run();
}

}  // namespace talus
