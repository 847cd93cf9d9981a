#include "engine/geometry/triangle_grid.h"
#include "engine/base/assert.h"
#include "engine/base/cache.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>
#include <span>

namespace talus {
namespace {

using shared::corner_turn;
using shared::hollow_surfaces;
using shared::triangle_words;

constexpr double grid_cells_most = 1 << 20;
// Pairs of a triangle and a cell that are looked at: some seconds. Triangles that are long and aslant have many.
constexpr double pairs_most = 1 << 28;
// A triangle that is further away than the nearest one by this share of `far` may be touched beside it: a third of the
// largest radius.
constexpr double beside_share = 0.115;
constexpr std::uint64_t words_most = std::uint64_t{1} << 27;  // 512 MiB: 2 million triangles and their lists fit

enum Feature : std::uint32_t { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

struct Nearest {
  glm::vec3 way;  // from the nearest point
  Feature feature;
};

// Order of the additions as in the shader: lists and signs depend on it.
float inner(const glm::vec3& a, const glm::vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Voronoi regions of a triangle's features (Ericson 2005, section 5.1.5).
Nearest nearest_in(const glm::vec3& p, const glm::vec3& a, const glm::vec3& b, const glm::vec3& c) {
  const glm::vec3 ab = b - a, ac = c - a, pa = p - a, pb = p - b, pc = p - c;
  const float a1 = inner(ab, pa), a2 = inner(ac, pa);
  if (a1 <= 0.0f && a2 <= 0.0f)
    return {pa, corner_a};
  const float b1 = inner(ab, pb), b2 = inner(ac, pb);
  if (b1 >= 0.0f && b2 <= b1)
    return {pb, corner_b};
  const float w_c = a1 * b2 - b1 * a2;
  if (w_c <= 0.0f && a1 >= 0.0f && b1 <= 0.0f)
    return {pa - a1 / (a1 - b1) * ab, edge_ab};
  const float c1 = inner(ab, pc), c2 = inner(ac, pc);
  if (c2 >= 0.0f && c1 <= c2)
    return {pc, corner_c};
  const float w_b = c1 * a2 - a1 * c2;
  if (w_b <= 0.0f && a2 >= 0.0f && c2 <= 0.0f)
    return {pa - a2 / (a2 - c2) * ac, edge_ca};
  const float w_a = b1 * c2 - c1 * b2, from_b = b2 - b1, from_c = c1 - c2;
  if (w_a <= 0.0f && from_b >= 0.0f && from_c >= 0.0f)
    return {pb - from_b / (from_b + from_c) * (c - b), edge_bc};
  const float sum = w_a + w_b + w_c;
  return {pa - w_b / sum * ab - w_c / sum * ac, face};
}

float squared(const glm::vec3& v) {
  return inner(v, v);
}

glm::vec3 vector_at(const std::uint32_t* words) {
  return {std::bit_cast<float>(words[0]), std::bit_cast<float>(words[1]), std::bit_cast<float>(words[2])};
}

// Normals of faces, and of edges and corners the mean over the faces there, weighted by angle.
struct Normals {
  std::vector<glm::vec3> faces, corners;
  std::map<std::pair<std::uint32_t, std::uint32_t>, glm::vec3> edges;

  explicit Normals(const Mesh& mesh) : corners(mesh.vertices.size(), glm::vec3(0.0f)) {
    std::vector<glm::dvec3> sums(mesh.vertices.size(), glm::dvec3(0.0));
    for (const glm::uvec3& t : mesh.triangles) {
      const std::array<glm::dvec3, 3> v{glm::dvec3(mesh.vertices[t[0]]), glm::dvec3(mesh.vertices[t[1]]),
                                        glm::dvec3(mesh.vertices[t[2]])};
      const glm::dvec3 n = unit(glm::cross(v[1] - v[0], v[2] - v[0]));
      faces.emplace_back(n);
      for (std::size_t k = 0; k < 3; ++k) {
        const glm::dvec3 to = unit(v[(k + 1) % 3] - v[k]), from = unit(v[(k + 2) % 3] - v[k]);
        sums[t[static_cast<int>(k)]] += std::acos(std::clamp(glm::dot(to, from), -1.0, 1.0)) * n;
        edges[edge(t, k)] += glm::vec3(n);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      corners[i] = glm::vec3(unit(sums[i]));
    for (auto& [key, n] : edges)
      n = glm::vec3(unit(glm::dvec3(n)));
  }

  static std::pair<std::uint32_t, std::uint32_t> edge(const glm::uvec3& t, std::size_t k) {
    const std::uint32_t a = t[static_cast<int>(k)], b = t[static_cast<int>((k + 1) % 3)];
    return {std::min(a, b), std::max(a, b)};
  }
  static glm::dvec3 unit(const glm::dvec3& v) {
    const double l = glm::length(v);
    return l > 0.0 ? v / l : glm::dvec3(0.0);
  }
};

class GridBuilder {
public:
  GridBuilder(const Mesh& mesh, bool closed, double far) : mesh_(mesh), normals_(mesh) {
    const Bounds box = bounds(mesh);
    const glm::dvec3 extent = box.max - box.min + 2.0 * far;
    // Cells some triangles wide: larger ones have long lists, smaller ones are many.
    const double triangle = std::sqrt(2.0 * area(mesh) / static_cast<double>(mesh.triangles.size()));
    double cell = std::max(std::clamp(2.0 * triangle, far / 8.0, std::max(far / 2.0, 1e-9)),
                           std::max({extent.x, extent.y, extent.z}) / 128.0);
    TALUS_ASSERT(cell > 0.0, cell, triangle, far);
    const auto count = [&] { return glm::max(glm::ceil(extent / cell), glm::dvec3(1.0)); };
    while (count().x * count().y * count().z > grid_cells_most)
      cell *= 1.1;
    grid_.origin = glm::vec3(box.min - far);
    grid_.far = static_cast<float>(far);
    grid_.closed = closed;
    for (;; cell *= 2.0) {
      grid_.cell = static_cast<float>(cell);
      grid_.size = glm::uvec3(count());
      half_ = 0.5f * std::sqrt(3.0f) * grid_.cell * 1.001f;
      if (pairs() <= pairs_most || grid_.size == glm::uvec3(1))
        break;
    }
  }

  TriangleGrid build() {
    const std::size_t cells = static_cast<std::size_t>(grid_.size.x) * grid_.size.y * grid_.size.z;
    nearest_.assign(cells, std::numeric_limits<float>::infinity());
    const auto nearer = [&](std::size_t c) { return nearest_[c]; };
    each_pair(nearer, [&](std::size_t, std::size_t c, float d) { nearest_[c] = std::min(nearest_[c], d); });
    // A triangle is the nearest one of no point of a cell if another is nearer to its middle by a diagonal.
    const auto candidates = [&](std::size_t c) { return nearest_[c] + 2.0f * half_; };
    std::vector<std::uint64_t> start(cells + 1, 0);
    // Triangles that are further by no more than this count as touched beside the nearest one.
    const float beside = static_cast<float>(beside_share) * grid_.far;
    const auto touched = [&](std::size_t c) { return nearest_[c] + 2.0f * half_ + beside; };
    std::vector<std::uint64_t> first(cells, 0);  // those that may be nearest
    each_pair(touched, [&](std::size_t, std::size_t c, float d) {
      start[c + 1] += 1;
      first[c] += d <= candidates(c);
    });
    const std::vector<std::uint32_t> deep = grid_.closed ? inside() : std::vector<std::uint32_t>(cells, none);
    for (std::size_t c = 0; c < cells; ++c) {
      if (start[c + 1] == 0)
        start[c + 1] = first[c] = deep[c] != none;
      start[c + 1] += start[c];
    }
    const std::uint64_t lists = 2 * cells + 1, triangles = lists + start[cells];
    const std::uint64_t total = triangles + triangle_words * mesh_.triangles.size();
    if (total > words_most)
      throw MeshError(
          fmt::format("mesh: {} triangles near each other take {} MiB to look for the nearest, the limit is "
                      "{} MiB: use as = \"sdf\" for it, or fewer triangles",
                      mesh_.triangles.size(), total >> 18, words_most >> 18));
    std::vector<std::uint32_t>& words = grid_.words;
    words.resize(total);
    for (std::size_t c = 0; c <= cells; ++c)
      words[c] = static_cast<std::uint32_t>(lists + start[c]);
    for (std::size_t c = 0; c < cells; ++c)
      words[cells + 1 + c] = static_cast<std::uint32_t>(words[c] + first[c]);
    const auto place = [&](std::size_t t) { return static_cast<std::uint32_t>(triangles + triangle_words * t); };
    std::vector<std::uint64_t> next(start.begin(), start.end() - 1), after = next;
    for (std::size_t c = 0; c < cells; ++c)
      after[c] += first[c];
    each_pair(touched, [&](std::size_t t, std::size_t c, float d) {
      std::uint64_t& entry = (d <= candidates(c) ? next : after)[c];
      TALUS_ASSERT(entry < start[c + 1], t, c, entry, start[c + 1]);
      words[lists + entry++] = place(t);
    });
    for (std::size_t c = 0; c < cells; ++c)
      if (next[c] == start[c] && start[c + 1] > start[c])
        words[lists + start[c]] = place(deep[c]);
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      TALUS_ASSERT(place(t) + triangle_words <= words.size(), t, place(t), words.size());
      write(t, words.data() + place(t));
    }
    return std::move(grid_);
  }

private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  glm::vec3 middle(std::size_t c) const {
    TALUS_ASSERT(c < nearest_.size(), c, nearest_.size());
    const glm::uvec3 at(c % grid_.size.x, c / grid_.size.x % grid_.size.y,
                        c / (static_cast<std::size_t>(grid_.size.x) * grid_.size.y));
    return grid_.origin + (glm::vec3(at) + 0.5f) * grid_.cell;
  }

  // The box of cells in which a triangle may be the nearest within `far`.
  std::pair<glm::uvec3, glm::uvec3> cells_around(const glm::uvec3& corner) const {
    const float reach = grid_.far + half_;
    const glm::vec3 a = mesh_.vertices[corner[0]], b = mesh_.vertices[corner[1]], c = mesh_.vertices[corner[2]];
    const auto cell = [&](const glm::vec3& p) {
      return glm::uvec3(glm::clamp((p - grid_.origin) / grid_.cell, glm::vec3(0.0f), glm::vec3(grid_.size - 1u)));
    };
    return {cell(glm::min(a, glm::min(b, c)) - reach), cell(glm::max(a, glm::max(b, c)) + reach)};
  }

  // How many pairs the next function looks at.
  double pairs() const {
    double sum = 0.0;
    for (const glm::uvec3& corner : mesh_.triangles) {
      const auto [low, high] = cells_around(corner);
      const glm::dvec3 cells(high - low + 1u);
      sum += cells.x * cells.y * cells.z;
    }
    return sum;
  }

  // Triangles with the cells in which one of them may be the nearest within `far`, whose middle is no further away than
  // most(cell): visit(triangle, cell, distance of the middle).
  void each_pair(auto&& most, auto&& visit) const {
    const float reach = grid_.far + half_;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const glm::uvec3& corner = mesh_.triangles[t];
      const glm::vec3 a = mesh_.vertices[corner[0]], b = mesh_.vertices[corner[1]], c = mesh_.vertices[corner[2]];
      const glm::vec3 center = (a + b + c) / 3.0f;
      const float around =
          1.0001f * std::sqrt(std::max({squared(a - center), squared(b - center), squared(c - center)}));
      const auto [low, high] = cells_around(corner);
      for (std::uint32_t z = low.z; z <= high.z; ++z)
        for (std::uint32_t y = low.y; y <= high.y; ++y)
          for (std::uint32_t x = low.x; x <= high.x; ++x) {
            const std::size_t at = (static_cast<std::size_t>(z) * grid_.size.y + y) * grid_.size.x + x;
            const glm::vec3 p = grid_.origin + (glm::vec3(x, y, z) + 0.5f) * grid_.cell;
            const float limit = std::min(most(at), reach);
            if (const float beyond = limit + around; squared(p - center) > beyond * beyond)
              continue;
            if (const float d = glm::length(nearest_in(p, a, b, c).way); d <= limit)
              visit(t, at, d);
          }
    }
  }

  // A triangle near the nearest for each cell that lies deep inside, none for the others. Between cells far from the
  // surface there is none: they are on the side of the neighbour that it spread from.
  std::vector<std::uint32_t> inside() const {
    const std::size_t cells = nearest_.size();
    std::vector<std::uint32_t> own(cells, none);
    each_pair([&](std::size_t c) { return nearest_[c]; },
              [&](std::size_t t, std::size_t c, float) { own[c] = static_cast<std::uint32_t>(t); });
    std::vector<char> deep(cells, 0);
    std::vector<std::size_t> front, next;
    for (std::size_t c = 0; c < cells; ++c)
      if (own[c] != none) {
        front.push_back(c);
        deep[c] = signed_distance(own[c], middle(c)) < 0.0f;
      }
    std::vector<std::uint32_t> out(cells, none);
    const std::array<std::ptrdiff_t, 3> stride{1, static_cast<std::ptrdiff_t>(grid_.size.x),
                                               static_cast<std::ptrdiff_t>(grid_.size.x) * grid_.size.y};
    for (; !front.empty(); front.swap(next), next.clear())
      for (const std::size_t c : front)
        for (int a = 0; a < 3; ++a) {
          const auto line = static_cast<std::size_t>(stride[static_cast<std::size_t>(a)]);
          const std::size_t at = c / line % grid_.size[a];
          for (const int side : {-1, 1}) {
            if (at + static_cast<std::size_t>(side) >= grid_.size[a])
              continue;
            const std::size_t other = c + static_cast<std::size_t>(side) * line;
            if (own[other] != none)
              continue;
            own[other] = own[c];
            deep[other] = deep[c];
            next.push_back(other);
          }
        }
    for (std::size_t c = 0; c < cells; ++c)
      if (deep[c])
        out[c] = own[c];
    return out;
  }

  float signed_distance(std::size_t t, const glm::vec3& p) const {
    std::array<std::uint32_t, triangle_words> words;
    write(t, words.data());
    const Nearest n = nearest_in(p - grid_.origin, vector_at(words.data()), vector_at(&words[3]), vector_at(&words[6]));
    const float d = glm::length(n.way);
    return inner(n.way, vector_at(&words[9 + 3 * n.feature])) < 0.0f ? -d : d;
  }

  void write(std::size_t t, std::uint32_t* words) const {
    const glm::uvec3& corner = mesh_.triangles[t];
    const auto put = [&](const glm::vec3& v) {
      for (int a = 0; a < 3; ++a)
        *words++ = std::bit_cast<std::uint32_t>(v[a]);
    };
    for (int k = 0; k < 3; ++k)
      put(mesh_.vertices[corner[k]] - grid_.origin);
    put(normals_.faces[t]);
    for (std::size_t k = 0; k < 3; ++k)
      put(normals_.edges.at(Normals::edge(corner, k)));
    for (int k = 0; k < 3; ++k)
      put(normals_.corners[corner[k]]);
  }

  const Mesh& mesh_;
  Normals normals_;
  TriangleGrid grid_;
  float half_;                  // m, half a cell's diagonal
  std::vector<float> nearest_;  // m, of a cell's middle, where the surface is near
};

// Places at which a ball touches a hollow are in this order. It changes seldom for a ball at rest, whichever of several
// triangles the place is on; no symmetry of a mesh makes two of them equal.
float hollow_rank(const glm::vec3& direction) {
  return inner(direction, {0.8147f, 0.3179f, 0.4851f});
}

// What of a triangle is nearest to a point.
struct Touch : Nearest {
  const std::uint32_t* triangle = nullptr;
  float distance2 = std::numeric_limits<float>::max();

  Touch() : Nearest{} {}
  Touch(const glm::vec3& p, const std::uint32_t* t)
      : Nearest(nearest_in(p, vector_at(t), vector_at(t + 3), vector_at(t + 6))), triangle(t), distance2(squared(way)) {
  }

  glm::vec3 normal() const { return vector_at(triangle + 9 + 3 * feature); }
  float above() const { return inner(way, normal()) < 0.0f ? -1.0f : 1.0f; }
  // Near the surface the way is a small difference of large numbers; over a face its direction is known.
  glm::vec3 away(float distance) const { return feature == face ? above() * normal() : way / distance; }

  SurfaceSample sample(float far, bool closed) const {
    if (!triangle)
      return {far, glm::vec3(0.0f, 0.0f, 1.0f)};
    const float d = std::sqrt(distance2), side = closed ? above() : 1.0f;
    return {std::min(side * d, far), d > 0.0f ? side * away(d) : normal()};
  }

  // Is the point nearer than all places of the mesh around it? Of an edge that holds where it sticks out and neither of
  // its two faces is nearer; the normal of the other face is the mirror image of the own one. Of a corner only the two
  // edges of this triangle are looked at.
  bool is_peak() const {
    if (feature == face)
      return true;
    const float side = above();
    const glm::vec3 mean = normal();
    const auto corner = [&](std::uint32_t k) { return vector_at(triangle + 3 * (k % 3)); };
    if (feature >= corner_a) {
      const std::uint32_t k = feature - corner_a;
      return side * inner(mean, corner(k + 1) - corner(k)) < 0.0f &&
             side * inner(mean, corner(k + 2) - corner(k)) < 0.0f;
    }
    const glm::vec3 along = corner(feature) - corner(feature - 1u);
    const glm::vec3 in = glm::cross(vector_at(triangle + 9), along);  // in the face, from the edge
    const float bend = side * inner(mean, in), length2 = squared(along);
    if (!(bend < 0.0f) || bend * bend <= 1e-6f * length2)
      return false;
    const glm::vec3 across = glm::cross(mean, along);
    return inner(way, in - 2.0f * inner(in, across) / length2 * across) <= 0.0f;
  }
};

// The triangles around a point within the grid.
struct Cell {
  const std::uint32_t *words, *first, *last, *last_nearest;

  Cell(const std::uint32_t* all, const glm::uvec3& size, float cell, const glm::vec3& p) : words(all) {
    const glm::vec3 inside = glm::clamp(p, glm::vec3(0.0f), cell * glm::vec3(size));
    const glm::uvec3 at = glm::min(glm::uvec3(inside / cell), size - 1u);
    const std::size_t c = (static_cast<std::size_t>(at.z) * size.y + at.y) * size.x + at.x;
    const std::size_t cells = static_cast<std::size_t>(size.x) * size.y * size.z;
    first = words + words[c];
    last = words + words[c + 1];
    last_nearest = words + words[cells + 1 + c];
    TALUS_ASSERT(c < cells && first <= last_nearest && last_nearest <= last, c, cells, words[c], words[c + 1]);
  }

  Touch nearest(const glm::vec3& p) const {
    Touch best;
    for (const std::uint32_t* entry = first; entry < last_nearest; ++entry)
      if (const Touch t(p, words + *entry); t.distance2 < best.distance2)
        best = t;
    return best;
  }
};

bool is_hollow(const Cell& list, const Touch& nearest, bool closed, const glm::vec3& p, float reach) {
  if (!nearest.triangle || !(nearest.distance2 > 0.0f) || (closed && nearest.above() < 0.0f))
    return false;
  // No quotients: they differ between devices, and lists of contacts depend on this.
  const bool on_face = nearest.feature == face;
  const glm::vec3 away = on_face ? nearest.above() * nearest.normal() : nearest.way;
  const float least = on_face ? corner_turn : corner_turn * std::sqrt(nearest.distance2);
  for (const std::uint32_t* entry = list.first; entry < list.last; ++entry) {
    const Touch other(p, list.words + *entry);
    if (!(other.distance2 < reach * reach))
      continue;
    const glm::vec3 normal = vector_at(other.triangle + 9);
    const float height = inner(other.way, normal);
    if (closed && !(height > 0.0f))
      continue;
    const bool same = squared(other.way - nearest.way) <= 1e-6f * nearest.distance2;  // the edge between the two
    if (!same && (height < 0.0f ? -1.0f : 1.0f) * inner(normal, away) < least)
      return true;
  }
  return false;
}

}  // namespace

TriangleGrid triangle_grid(const Mesh& mesh, bool closed, double far) {
  if (mesh.triangles.empty())
    throw MeshError("mesh: has no triangles, so that nothing is nearest");
  return GridBuilder(mesh, closed, far).build();
}

std::shared_ptr<const TriangleGrid> shared_triangle_grid(const Mesh& mesh, bool closed, double far) {
  static std::mutex mutex;
  static std::map<std::uint64_t, std::weak_ptr<const TriangleGrid>> known;  // by content
  const std::array<double, 2> how{closed ? 1.0 : 0.0, far};
  const std::uint64_t key = checksum(mesh, checksum(std::as_bytes(std::span(how))));
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  if (auto grid = known[key].lock())
    return grid;
  const auto grid = std::make_shared<const TriangleGrid>(triangle_grid(mesh, closed, far));
  known[key] = grid;
  return grid;
}

SurfaceSample sample(const std::uint32_t* words, const glm::uvec3& size, float cell, float far, bool closed,
                     const glm::vec3& p) {
  const glm::vec3 inside = glm::clamp(p, glm::vec3(0.0f), cell * glm::vec3(size)), way = p - inside;
  if (way != glm::vec3(0.0f)) {
    const float beyond = std::sqrt(inner(way, way));
    return {far + beyond, way / beyond};
  }
  return Cell(words, size, cell, p).nearest(p).sample(far, closed);
}

Surroundings look_around(const std::uint32_t* words, const glm::uvec3& size, float cell, float far, bool closed,
                         const glm::vec3& p, float reach) {
  if (p != glm::clamp(p, glm::vec3(0.0f), cell * glm::vec3(size)))
    return {sample(words, size, cell, far, closed, p).distance, false};
  const Cell list(words, size, cell, p);
  const Touch nearest = list.nearest(p);
  const float distance = nearest.sample(far, closed).distance;
  return {distance, distance < reach && is_hollow(list, nearest, closed, p, reach)};
}

std::optional<SurfaceSample> sample_hollow(const std::uint32_t* words, const glm::uvec3& size, float cell, float far,
                                           bool closed, const glm::vec3& p, float reach, std::uint32_t rank) {
  if (p != glm::clamp(p, glm::vec3(0.0f), cell * glm::vec3(size)))
    return rank == 0 ? std::optional(sample(words, size, cell, far, closed, p)) : std::nullopt;
  std::array<SurfaceSample, hollow_surfaces> places{};
  std::size_t count = 1;
  const Cell list(words, size, cell, p);
  const Touch nearest = list.nearest(p);
  places[0] = nearest.sample(far, closed);
  if (nearest.triangle && places[0].distance > 0.0f && places[0].distance < reach)
    for (const std::uint32_t* entry = list.first; entry < list.last; ++entry) {
      const Touch other(p, words + *entry);
      if (!(other.distance2 < reach * reach) || !(other.distance2 > 0.0f) || (closed && other.above() < 0.0f))
        continue;
      const float d = std::sqrt(other.distance2);
      const SurfaceSample place{d, other.away(d)};
      if (inner(place.gradient, places[0].gradient) >= corner_turn || !other.is_peak())
        continue;
      std::size_t k = 1;  // the place that it is in competition with
      while (k < count && inner(place.gradient, places[k].gradient) < corner_turn)
        ++k;
      if (k == places.size())
        k = places[1].distance >= places[2].distance ? 1 : 2;
      if (k == count)
        places[count++] = place;
      else if (d < places[k].distance)
        places[k] = place;
    }
  for (std::size_t k = 0; k < count; ++k) {
    std::uint32_t before = 0;
    for (std::size_t other = 0; other < count; ++other)
      before += hollow_rank(places[other].gradient) < hollow_rank(places[k].gradient);
    if (before == rank)
      return places[k];
  }
  return {};
}

SurfaceSample sample(const TriangleGrid& grid, const glm::vec3& p) {
  return sample(grid.words.data(), grid.size, grid.cell, grid.far, grid.closed, p - grid.origin);
}

}  // namespace talus
