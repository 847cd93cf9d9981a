#include "engine/geometry/cloth.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace talus {
namespace {

// The same triangle, wound the same way, with the corner opposite its longest side first; of equal sides the first.
glm::uvec3 from_widest_corner(const std::vector<glm::dvec3>& vertices, const glm::uvec3& t) {
  int widest = 0;
  double longest = 0.0;
  for (int c = 0; c < 3; ++c)
    if (const double side = glm::distance(vertices[t[(c + 1) % 3]], vertices[t[(c + 2) % 3]]); side > longest) {
      longest = side;
      widest = c;
    }
  return {t[widest], t[(widest + 1) % 3], t[(widest + 2) % 3]};
}

// Areas, and what the header promises of the order of triangles and edges.
ClothSheet finished(ClothSheet sheet) {
  const std::vector<glm::dvec3>& v = sheet.vertices;
  sheet.areas.assign(v.size(), 0.0);
  for (glm::uvec3& t : sheet.triangles) {
    TALUS_ASSERT(t.x < v.size() && t.y < v.size() && t.z < v.size(), t.x, t.y, t.z, v.size());
    t = from_widest_corner(v, t);
    const double third = glm::length(glm::cross(v[t.y] - v[t.x], v[t.z] - v[t.x])) / 6.0;
    for (int c = 0; c < 3; ++c)
      sheet.areas[t[c]] += third;
  }
  std::ranges::sort(sheet.triangles, {}, [](const glm::uvec3& t) { return std::tuple(t.x, t.y, t.z); });
  std::ranges::sort(sheet.edges, {}, [](const ClothEdge& e) { return std::tuple(e.ends.x, e.ends.y, e.kind); });
  const auto same = [](const ClothEdge& a, const ClothEdge& b) { return a.ends == b.ends; };
  TALUS_ASSERT(
      std::ranges::all_of(sheet.edges, [&](const ClothEdge& e) { return e.ends.x < e.ends.y && e.ends.y < v.size(); }),
      sheet.edges.size(), v.size());
  sheet.edges.erase(std::unique(sheet.edges.begin(), sheet.edges.end(), same), sheet.edges.end());
  return sheet;
}

ClothEdge edge_of(std::uint32_t a, std::uint32_t b, ClothLinkKind kind) {
  return {{std::min(a, b), std::max(a, b)}, kind};
}

}  // namespace

std::vector<bool> border_of(const ClothSheet& sheet) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> ways;  // how often a side is run from one end to the other
  for (const glm::uvec3& t : sheet.triangles)
    for (int c = 0; c < 3; ++c)
      ++ways[{t[c], t[(c + 1) % 3]}];
  std::vector<bool> border(sheet.vertices.size(), false);
  for (const auto& [side, count] : ways) {
    const auto back = ways.find({side.second, side.first});
    if (count != 1 || back == ways.end() || back->second != 1)
      border[side.first] = border[side.second] = true;
  }
  return border;
}

ClothSheet cloth_grid(glm::dvec2 size, glm::uvec2 cells) {
  using enum ClothLinkKind;
  ClothSheet sheet;
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return j * (cells.x + 1) + i; };
  for (std::uint32_t j = 0; j <= cells.y; ++j)
    for (std::uint32_t i = 0; i <= cells.x; ++i) {
      sheet.vertices.emplace_back(size * (glm::dvec2(i, j) / glm::dvec2(cells) - 0.5), 0.0);
      for (const auto& [apart, kind] : {std::pair(1u, stretch), std::pair(2u, bend)}) {
        if (i + apart <= cells.x)
          sheet.edges.push_back({{at(i, j), at(i + apart, j)}, kind});
        if (j + apart <= cells.y)
          sheet.edges.push_back({{at(i, j), at(i, j + apart)}, kind});
      }
    }
  for (std::uint32_t j = 0; j < cells.y; ++j)
    for (std::uint32_t i = 0; i < cells.x; ++i) {
      const std::uint32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      sheet.edges.push_back(edge_of(a, c, shear));
      sheet.edges.push_back(edge_of(b, d, shear));
      if ((i + j) % 2 == 0)
        sheet.triangles.insert(sheet.triangles.end(), {{a, b, c}, {a, c, d}});
      else
        sheet.triangles.insert(sheet.triangles.end(), {{a, b, d}, {b, c, d}});
    }
  return finished(std::move(sheet));
}

ClothSheet cloth_mesh(const Mesh& mesh) {
  ClothSheet sheet;
  sheet.vertices.assign(mesh.vertices.begin(), mesh.vertices.end());
  sheet.triangles = mesh.triangles;
  struct Side {
    glm::uvec2 ends;
    std::uint32_t opposite;
  };
  std::vector<Side> sides;
  for (const glm::uvec3& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) {
      const ClothEdge edge = edge_of(t[(c + 1) % 3], t[(c + 2) % 3], ClothLinkKind::stretch);
      sheet.edges.push_back(edge);
      sides.push_back({edge.ends, t[c]});
    }
  std::ranges::sort(sides, {}, [](const Side& s) { return std::tuple(s.ends.x, s.ends.y, s.opposite); });
  for (auto one = sides.begin(); one != sides.end(); ++one)
    for (auto other = one + 1; other != sides.end() && other->ends == one->ends; ++other)
      if (other->opposite != one->opposite)
        sheet.edges.push_back(edge_of(one->opposite, other->opposite, ClothLinkKind::bend));
  return finished(std::move(sheet));
}

}  // namespace talus
