#include "engine/base/assert.h"
#include "engine/geometry/mesh.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <tuple>
#include <utility>

namespace talus {

namespace {

constexpr double weld_share = 1e-6;        // of the diagonal
constexpr double flat_share = 1e-9;        // of the diagonal's cube
constexpr std::size_t hole_corners = 500;  // more are no hole but a rim

// A triangle's side between the vertices low and high, run through from low to high or back.
struct Side {
  std::uint32_t high, triangle;
  bool forward;
};

// The sides of all triangles by edge.
class Edges {
public:
  explicit Edges(const Mesh& mesh) : first_(mesh.vertices.size() + 1), sides_(3 * mesh.triangles.size()) {
    each_side(mesh, [&](std::uint32_t low, const Side&) { ++first_[low + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each_side(mesh, [&](std::uint32_t low, const Side& side) {
      TALUS_ASSERT(next[low] < first_[low + 1], low, side.high, side.triangle);
      sides_[next[low]++] = side;
    });
    for (std::size_t v = 0; v + 1 < first_.size(); ++v)
      std::stable_sort(sides_.begin() + first_[v], sides_.begin() + first_[v + 1],
                       [](const Side& a, const Side& b) { return a.high < b.high; });
  }

  // visit(low, high, sides of that edge), in order.
  void each(auto&& visit) const {
    for (std::uint32_t low = 0; low + 1 < first_.size(); ++low)
      for (std::uint32_t i = first_[low], end; i < first_[low + 1]; i = end) {
        for (end = i + 1; end < first_[low + 1] && sides_[end].high == sides_[i].high;)
          ++end;
        visit(low, sides_[i].high, std::span(sides_).subspan(i, end - i));
      }
  }

private:
  static void each_side(const Mesh& mesh, auto&& visit) {
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
        visit(std::min(a, b), Side{std::max(a, b), t, a < b});
      }
  }

  std::vector<std::uint32_t> first_;  // per lower vertex
  std::vector<Side> sides_;
};

// Disjoint sets, each member with a parity relative to its set's representative.
class Sets {
public:
  explicit Sets(std::size_t size) : parent_(size), odd_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::pair<std::uint32_t, bool> find(std::uint32_t i) {
    TALUS_ASSERT(i < parent_.size(), i, parent_.size());
    std::uint32_t root = i;
    bool odd = false;
    for (; parent_[root] != root; root = parent_[root])
      odd ^= odd_[root];
    for (bool rest = odd; i != root;) {
      const bool step = odd_[i];
      odd_[i] = rest;
      rest ^= step;
      i = std::exchange(parent_[i], root);
    }
    return {root, odd};
  }

  // False where both are in one set already, with the other parity.
  bool unite(std::uint32_t a, std::uint32_t b, bool odd) {
    const auto [ra, oa] = find(a);
    const auto [rb, ob] = find(b);
    if (ra == rb)
      return (oa != ob) == odd;
    const auto [low, high] = std::minmax(ra, rb);
    parent_[high] = low;
    odd_[high] = (oa != ob) != odd;
    return true;
  }

private:
  std::vector<std::uint32_t> parent_;
  std::vector<char> odd_;  // relative to the parent
};

void turn(glm::uvec3& triangle) {
  std::swap(triangle.y, triangle.z);
}

int excess(std::span<const Side> sides) {  // how much oftener an edge is used from low to high than back
  int sum = 0;
  for (const Side& s : sides)
    sum += s.forward ? 1 : -1;
  return sum;
}

// How often the ray from p upwards leaves through the triangle; -1 where it enters. An edge belongs to one of its two
// sides, so that the sum over a closed surface does not depend on what the ray hits.
int crossing(const glm::dvec3& p, const std::array<glm::dvec3, 3>& triangle) {
  std::array<glm::dvec3, 3> d;
  for (int k = 0; k < 3; ++k)
    d[k] = triangle[k] - p;
  int winding = 0;
  for (int k = 0; k < 3; ++k) {
    const glm::dvec3 &u = d[k], &v = d[(k + 1) % 3];
    const double side = u.x * v.y - u.y * v.x;
    winding += u.y <= 0 && v.y > 0 && side > 0;
    winding -= u.y > 0 && v.y <= 0 && side < 0;
  }
  const glm::dvec3 normal = glm::cross(d[1] - d[0], d[2] - d[0]);
  return winding != 0 && glm::dot(normal, d[0]) * winding > 0 ? winding : 0;
}

class Repair {
public:
  Repair(Mesh mesh, const std::string& name, const MeshOptions& options) : name_(name), options_(options) {
    out_.mesh = std::move(mesh);
  }

  LoadedMesh run() {
    check();
    note(drop_unused(), "{} unused {} dropped", "vertex was", "vertices were");
    measure();
    weld();
    drop_degenerate();
    drop_repeated();
    orient();
    split_slivers();
    close_holes();
    turn_parts();
    drop_unused();
    if (vertices().empty())
      fail("has no triangle with an area");
    if (options_.solid && std::abs(volume(out_.mesh)) <= flat_share * size_ * size_ * size_)
      fail("is flat: it encloses no volume");
    return std::move(out_);
  }

private:
  struct Part {
    Bounds box{glm::dvec3(INFINITY), glm::dvec3(-INFINITY)};
    double volume = 0;
    bool closed = true;
    std::uint32_t outermost = no_index;  // the part around it that no other part is around
    std::vector<std::uint32_t> triangles;
    double size() const { return glm::length(box.max - box.min); }
    bool inside_out() const { return closed && volume < -flat_share * std::pow(size(), 3); }
  };

  std::vector<glm::vec3>& vertices() { return out_.mesh.vertices; }
  std::vector<glm::uvec3>& triangles() { return out_.mesh.triangles; }
  [[noreturn]] void fail(const std::string& what) const { throw MeshError(fmt::format("{}: {}", name_, what)); }

  // format takes the count and the right one of the two words.
  void note(std::size_t count, fmt::format_string<std::size_t&, std::string_view&> format, std::string_view one,
            std::string_view more) {
    std::string_view words = count == 1 ? one : more;
    if (count)
      out_.repairs.push_back(fmt::format(format, count, words));
  }

  // Takes out the triangles marked; how many.
  std::size_t drop(const std::vector<char>& marked) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles().size(); ++t)
      if (!marked[t])
        triangles()[kept++] = triangles()[t];
    const std::size_t dropped = triangles().size() - kept;
    triangles().resize(kept);
    return dropped;
  }

  std::array<glm::dvec3, 3> corners(std::uint32_t triangle) const {
    const glm::uvec3& t = out_.mesh.triangles[triangle];
    return {glm::dvec3(out_.mesh.vertices[t.x]), glm::dvec3(out_.mesh.vertices[t.y]),
            glm::dvec3(out_.mesh.vertices[t.z])};
  }

  void check() {
    if (triangles().empty())
      fail("has no triangles");
    if (triangles().size() > mesh_triangles_most)
      fail(fmt::format("has {} triangles; at most {} are taken", triangles().size(), mesh_triangles_most));
    for (std::size_t t = 0; t < triangles().size(); ++t)
      for (int k = 0; k < 3; ++k)
        if (triangles()[t][k] >= vertices().size())
          fail(fmt::format("triangle {} names vertex {}, and there are {}", t, triangles()[t][k], vertices().size()));
    for (std::size_t v = 0; v < vertices().size(); ++v)
      for (int a = 0; a < 3; ++a)
        if (!std::isfinite(vertices()[v][a]))
          fail(fmt::format("vertex {} has {} as its {}, which is not a finite number", v, vertices()[v][a], "xyz"[a]));
  }

  std::size_t drop_unused() {
    std::vector<std::uint32_t> place(vertices().size(), no_index);
    for (const glm::uvec3& t : triangles())
      for (int k = 0; k < 3; ++k)
        place[t[k]] = 0;
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < vertices().size(); ++v)
      if (place[v] != no_index) {
        vertices()[kept] = vertices()[v];
        place[v] = kept++;
      }
    const std::size_t dropped = vertices().size() - kept;
    vertices().resize(kept);
    for (glm::uvec3& t : triangles())
      t = {place[t.x], place[t.y], place[t.z]};
    return dropped;
  }

  void measure() {
    box_ = bounds(out_.mesh);
    size_ = glm::length(box_.max - box_.min);
    if (!(size_ > 0))
      fail("has no extent: all of its vertices are in one place");
  }

  void weld() {
    const double reach = weld_share * size_, cell = 8 * reach;
    std::size_t buckets = 1;
    while (buckets < vertices().size())
      buckets *= 2;
    std::vector<std::uint32_t> head(buckets, no_index), next, place(vertices().size());
    auto bucket = [&](const glm::ivec3& c) -> std::uint32_t& {
      std::uint64_t h = static_cast<std::uint64_t>(c.x) * 0x9E3779B97F4A7C15u;
      h = (h ^ (h >> 32) ^ static_cast<std::uint64_t>(c.y)) * 0xBF58476D1CE4E5B9u;
      h = (h ^ (h >> 32) ^ static_cast<std::uint64_t>(c.z)) * 0x94D049BB133111EBu;
      return head[(h ^ (h >> 32)) & (buckets - 1)];
    };
    std::size_t moved = 0;
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < vertices().size(); ++v) {
      const glm::dvec3 p(vertices()[v]), at = p - box_.min;
      const glm::ivec3 low(glm::floor((at - reach) / cell)), high(glm::floor((at + reach) / cell));
      std::uint32_t found = no_index;
      for (int z = low.z; z <= high.z; ++z)
        for (int y = low.y; y <= high.y; ++y)
          for (int x = low.x; x <= high.x; ++x)
            for (std::uint32_t k = bucket({x, y, z}); k != no_index; k = next[k])
              if (k < found && glm::distance(p, glm::dvec3(vertices()[k])) <= reach)
                found = k;
      if (found == no_index) {
        found = kept;
        vertices()[kept++] = vertices()[v];
        std::uint32_t& first = bucket(glm::ivec3(glm::floor(at / cell)));
        next.push_back(std::exchange(first, found));
      }
      moved += vertices()[v] != vertices()[found];
      place[v] = found;
    }
    vertices().resize(kept);
    for (glm::uvec3& t : triangles())
      t = {place[t.x], place[t.y], place[t.z]};
    note(moved, "{} {} welded to another one within a millionth of the mesh's diagonal", "vertex was", "vertices were");
  }

  void drop_degenerate() {
    std::vector<char> marked(triangles().size());
    for (std::size_t t = 0; t < marked.size(); ++t) {
      const glm::uvec3& c = triangles()[t];
      marked[t] = c.x == c.y || c.y == c.z || c.z == c.x;
    }
    note(drop(marked), "{} {} dropped, two corners being in the same place", "triangle was", "triangles were");
  }

  void drop_repeated() {
    struct Key {
      std::array<std::uint32_t, 3> corners;
      bool back;
      std::uint32_t triangle;
      bool operator<(const Key& other) const {
        return std::tie(corners, back, triangle) < std::tie(other.corners, other.back, other.triangle);
      }
    };
    std::vector<Key> keys(triangles().size());
    for (std::uint32_t t = 0; t < keys.size(); ++t) {
      glm::uvec3 c = triangles()[t];
      while (c.x > c.y || c.x > c.z)
        c = {c.y, c.z, c.x};
      keys[t] = {{c.x, std::min(c.y, c.z), std::max(c.y, c.z)}, c.y > c.z, t};
    }
    std::sort(keys.begin(), keys.end());
    std::vector<char> repeated(keys.size()), paired(keys.size());
    std::vector<std::uint32_t> backs;
    for (std::size_t i = 0, end; i < keys.size(); i = end) {
      const Key* other = nullptr;  // the first with the other winding
      for (end = i + 1; end < keys.size() && keys[end].corners == keys[i].corners; ++end)
        if (keys[end].back == keys[end - 1].back)
          repeated[keys[end].triangle] = true;
        else
          other = &keys[end];
      if (other) {
        paired[keys[i].triangle] = paired[other->triangle] = true;
        backs.push_back(std::max(keys[i].triangle, other->triangle));
      }
    }
    if (!backs.empty()) {
      Sets parts = connect(Edges(out_.mesh));
      std::vector<char> both_sides(keys.size(), true);
      for (std::uint32_t t = 0; t < keys.size(); ++t)
        if (!paired[t] && !repeated[t])
          both_sides[parts.find(t).first] = false;
      std::size_t dropped = 0;
      for (const std::uint32_t t : backs)
        if (both_sides[parts.find(t).first]) {
          repeated[t] = true;
          ++dropped;
        }
      drop(repeated, dropped);
      return;
    }
    drop(repeated, 0);
  }

  void drop(const std::vector<char>& repeated, std::size_t backs) {
    note(drop(repeated) - backs, "{} {} dropped as a repetition", "triangle was", "triangles were");
    note(backs, "{} {} dropped as the back of a part that was given from both sides", "triangle was", "triangles were");
  }

  Sets connect(const Edges& edges) const {
    Sets parts(out_.mesh.triangles.size());
    edges.each([&](std::uint32_t, std::uint32_t, std::span<const Side> sides) {
      for (const Side& s : sides)
        parts.unite(sides[0].triangle, s.triangle, false);
    });
    return parts;
  }

  void orient() {
    Sets patches(triangles().size());
    std::size_t crowded = 0, contradictions = 0;
    Edges(out_.mesh).each([&](std::uint32_t, std::uint32_t, std::span<const Side> sides) {
      crowded += sides.size() > 2;
      if (sides.size() == 2)
        contradictions += !patches.unite(sides[0].triangle, sides[1].triangle, sides[0].forward == sides[1].forward);
    });
    if (contradictions && options_.solid)
      fail("is one-sided, like a Moebius strip: it has no inside");
    note(contradictions, "{} {} joined the wrong way round: the surface is one-sided there", "edge is", "edges are");
    note(crowded, "{} {} more than two triangles; they stay as they are", "edge has", "edges have");
    std::vector<std::int32_t> majority(triangles().size());
    for (std::uint32_t t = 0; t < triangles().size(); ++t) {
      const auto [patch, odd] = patches.find(t);
      majority[patch] += odd ? 1 : -1;
    }
    std::size_t turned = 0;
    for (std::uint32_t t = 0; t < triangles().size(); ++t) {
      const auto [patch, odd] = patches.find(t);
      if (odd != (majority[patch] > 0)) {
        turn(triangles()[t]);
        ++turned;
      }
    }
    note(turned, "{} {} turned round to agree with the neighbours", "triangle was", "triangles were");
  }

  // A triangle without height has its third corner on its longest side (a, b), whose other triangle is (b, a, d): they
  // become (b, c, d) and (c, a, d).
  void split_slivers() {
    const double reach = weld_share * size_;
    std::size_t split = 0, left = 0;
    for (int pass = 0; pass < 16; ++pass) {
      std::vector<char> longest(triangles().size(), 3);  // the side of a sliver; 3: it is none
      left = 0;
      for (std::uint32_t t = 0; t < triangles().size(); ++t) {
        const auto p = corners(t);
        std::array<double, 3> length;
        for (int k = 0; k < 3; ++k)
          length[k] = glm::distance(p[k], p[(k + 1) % 3]);
        const auto most = std::max_element(length.begin(), length.end());
        if (glm::length(glm::cross(p[1] - p[0], p[2] - p[0])) <= reach * *most) {
          longest[t] = static_cast<char>(most - length.begin());
          ++left;
        }
      }
      if (left == 0)
        break;
      std::vector<char> gone(triangles().size()), touched(triangles().size());
      std::size_t changed = 0;
      Edges(out_.mesh).each([&](std::uint32_t low, std::uint32_t high, std::span<const Side> sides) {
        for (std::size_t i = 0; i < sides.size() && sides.size() <= 2; ++i) {
          const std::uint32_t t = sides[i].triangle;
          if (longest[t] == 3 || touched[t])
            continue;
          glm::uvec3& sliver = triangles()[t];
          const std::uint32_t a = sliver[longest[t]], b = sliver[(longest[t] + 1) % 3],
                              c = sliver[(longest[t] + 2) % 3];
          if (std::min(a, b) != low || std::max(a, b) != high)
            continue;
          if (sides.size() == 1) {
            gone[t] = touched[t] = true;
            ++changed;
            continue;
          }
          const std::uint32_t n = sides[1 - i].triangle;
          if (touched[n] || sides[0].forward == sides[1].forward)
            continue;
          glm::uvec3& neighbour = triangles()[n];
          const std::uint32_t d = neighbour.x + neighbour.y + neighbour.z - a - b;
          touched[t] = touched[n] = true;
          ++changed;
          if (c == d) {
            gone[t] = gone[n] = true;
          } else {
            sliver = {b, c, d};
            neighbour = {c, a, d};
          }
        }
      });
      drop(gone);
      split += changed;
      if (changed == 0)
        break;
    }
    note(split, "{} {} taken out and the neighbour split instead", "triangle without height was",
         "triangles without height were");
    note(left, "{} {} kept, for nothing can be put in its place", "triangle without height is",
         "triangles without height are");
  }

  // The loops that sides to be added would have to run along for every edge to be used equally often both ways. As many
  // of them leave a vertex as enter it.
  std::vector<std::vector<std::uint32_t>> rims() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> missing;  // from, to
    Edges(out_.mesh).each([&](std::uint32_t low, std::uint32_t high, std::span<const Side> sides) {
      for (int n = excess(sides); n != 0; n += n < 0 ? 1 : -1)
        missing.push_back(n < 0 ? std::pair(low, high) : std::pair(high, low));
    });
    std::sort(missing.begin(), missing.end());
    std::vector<std::uint32_t> next(out_.mesh.vertices.size() + 1);
    for (const auto& [from, to] : missing)
      ++next[from + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    const std::vector<std::uint32_t> last(next.begin() + 1, next.end());
    std::vector<std::vector<std::uint32_t>> loops;
    std::vector<std::uint32_t> path, place(out_.mesh.vertices.size(), no_index);
    for (const auto& side : missing) {
      path = {side.first};
      place[side.first] = 0;
      while (next[path.back()] < last[path.back()]) {
        const std::uint32_t to = missing[next[path.back()]++].second;
        if (place[to] == no_index) {
          place[to] = static_cast<std::uint32_t>(path.size());
          path.push_back(to);
          continue;
        }
        const auto first = path.begin() + place[to];
        loops.emplace_back(first, path.end());
        std::for_each(first + 1, path.end(), [&](std::uint32_t v) { place[v] = no_index; });
        path.erase(first + 1, path.end());
      }
      place[side.first] = no_index;
    }
    return loops;
  }

  void close_holes() {
    std::size_t closed = 0, added = 0, open = 0;
    for (const std::vector<std::uint32_t>& loop : rims()) {
      std::vector<glm::dvec3> outline;
      for (const std::uint32_t v : loop)
        outline.emplace_back(vertices()[v]);
      double length = 0;
      for (std::size_t i = 0; i < outline.size(); ++i)
        length += glm::distance(outline[i], outline[(i + 1) % outline.size()]);
      if (length > options_.hole * size_ || outline.size() > hole_corners) {
        ++open;
        continue;
      }
      for (const glm::uvec3& t : triangulate(outline))
        triangles().emplace_back(loop[t.x], loop[t.y], loop[t.z]);
      ++closed;
      added += loop.size() - 2;
    }
    if (closed)
      out_.repairs.push_back(fmt::format("{} closed with {} triangle{}",
                                         closed == 1 ? "1 hole was" : fmt::format("{} holes were", closed), added,
                                         added == 1 ? "" : "s"));
    if (open && options_.hole > 0.0)
      out_.repairs.push_back(
          fmt::format("the mesh is open: {} too long to be closed, beyond {} of the mesh's diagonal or {} corners",
                      open == 1 ? "1 hole is" : fmt::format("{} holes are", open), options_.hole, hole_corners));
    out_.closed = open == 0;
  }

  std::vector<Part> find_parts() {
    const Edges edges(out_.mesh);
    Sets connected = connect(edges);
    std::vector<std::uint32_t> part(triangles().size(), no_index);
    std::vector<Part> parts;
    const glm::dvec3 origin = (box_.min + box_.max) / 2.0;
    for (std::uint32_t t = 0; t < triangles().size(); ++t) {
      std::uint32_t& index = part[connected.find(t).first];
      if (index == no_index) {
        index = static_cast<std::uint32_t>(parts.size());
        parts.emplace_back();
      }
      Part& p = parts[index];
      p.triangles.push_back(t);
      const auto c = corners(t);
      p.volume += glm::dot(c[0] - origin, glm::cross(c[1] - origin, c[2] - origin)) / 6;
      for (const glm::dvec3& v : c)
        p.box = {glm::min(p.box.min, v), glm::max(p.box.max, v)};
    }
    edges.each([&](std::uint32_t, std::uint32_t, std::span<const Side> sides) {
      if (excess(sides) != 0)
        parts[part[connected.find(sides[0].triangle).first]].closed = false;
    });
    std::erase_if(parts, [](const Part& p) { return !p.closed; });
    return parts;
  }

  // Gives each part the outermost one around it, by rays upwards from a vertex of each.
  void nest(std::vector<Part>& parts) const {
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.size() > b.size(); });
    using Point = std::pair<glm::dvec3, std::uint32_t>;  // and its part
    std::vector<Point> points;
    for (std::uint32_t i = 0; i < parts.size(); ++i)
      points.emplace_back(corners(parts[i].triangles[0])[0], i);
    auto x_of = [](const Point& point) { return point.first.x; };
    std::ranges::sort(points, {}, x_of);
    auto between = [&](auto& sorted, double x_min, double x_max) {
      const auto first = std::ranges::lower_bound(sorted, x_min, {}, x_of);
      return std::span(first, std::ranges::upper_bound(first, sorted.end(), x_max, {}, x_of));
    };
    std::vector<int> winding(parts.size());
    std::vector<Point> within;  // the box of a part
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      if (parts[i].outermost != no_index)
        continue;
      const Bounds& box = parts[i].box;
      within.clear();
      for (const Point& p : between(points, box.min.x, box.max.x))
        if (p.second > i && parts[p.second].outermost == no_index && glm::all(glm::greaterThan(p.first, box.min)) &&
            glm::all(glm::lessThan(p.first, box.max)))
          within.push_back(p);
      if (within.empty())
        continue;
      for (const std::uint32_t t : parts[i].triangles) {
        const auto triangle = corners(t);
        const auto [x_min, x_max] = std::minmax({triangle[0].x, triangle[1].x, triangle[2].x});
        for (const Point& p : between(within, x_min, x_max))
          winding[p.second] += crossing(p.first, triangle);
      }
      for (const Point& p : within)
        if (std::exchange(winding[p.second], 0) != 0)
          parts[p.second].outermost = i;
    }
  }

  void turn_parts() {
    std::vector<Part> parts = find_parts();
    if (std::ranges::none_of(parts, &Part::inside_out))
      return;
    nest(parts);
    std::size_t outer = 0, inner = 0;
    for (const Part& p : parts) {
      const bool nested = p.outermost != no_index;
      if (!(nested ? parts[p.outermost] : p).inside_out())
        continue;
      for (const std::uint32_t t : p.triangles)
        turn(triangles()[t]);
      ++(nested ? inner : outer);
    }
    note(outer, "{} {} inside out and turned", "closed part was", "closed parts were");
    note(inner, "{} {} turned with the part around it", "part within was", "parts within were");
  }

  const std::string& name_;
  const MeshOptions& options_;
  LoadedMesh out_;
  Bounds box_{};
  double size_ = 0;
};

}  // namespace

std::vector<glm::uvec3> triangulate(std::span<const glm::dvec3> outline) {
  const auto n = static_cast<std::uint32_t>(outline.size());
  std::vector<glm::uvec3> out;
  if (n < 3)
    return out;
  out.reserve(n - 2);
  glm::dvec3 normal(0);
  for (std::uint32_t i = 1; i + 1 < n; ++i)
    normal += glm::cross(outline[i] - outline[0], outline[i + 1] - outline[0]);
  const glm::dvec3 size = glm::abs(normal);
  const int z = size.x > size.y && size.x > size.z ? 0 : size.y > size.z ? 1 : 2;
  const int x = (z + (normal[z] < 0 ? 2 : 1)) % 3, y = 3 - x - z;       // the outline runs counterclockwise in (x, y)
  auto left = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {  // twice the area of the triangle in the plane
    return (outline[b][x] - outline[a][x]) * (outline[c][y] - outline[a][y]) -
           (outline[b][y] - outline[a][y]) * (outline[c][x] - outline[a][x]);
  };
  std::vector<std::uint32_t> before(n), after(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    before[i] = (i + n - 1) % n;
    after[i] = (i + 1) % n;
  }
  std::uint64_t work = 4'000'000 + 1000 * std::uint64_t(n);  // then any corner will do: outlines made to take long
  auto is_ear = [&](std::uint32_t i) {
    const std::uint32_t a = before[i], c = after[i];
    const glm::dvec3 ab = outline[i] - outline[a], ac = outline[c] - outline[a];
    const double rounding = 1e-9 * (glm::dot(ab, ab) + glm::dot(ac, ac));  // for corners on one line
    if (!(left(a, i, c) > rounding))
      return false;
    for (std::uint32_t k = after[c]; k != a && work > 0; k = after[k]) {
      --work;
      if (outline[k] != outline[a] && outline[k] != outline[i] && outline[k] != outline[c] &&
          left(a, i, k) >= -rounding && left(i, c, k) >= -rounding && left(c, a, k) >= -rounding)
        return false;
    }
    return true;
  };
  std::uint32_t rest = n, misses = 0;
  for (std::uint32_t i = 0; rest > 3; i = after[i]) {
    if (misses < rest && work > 0 && !is_ear(i)) {
      ++misses;
      continue;
    }
    out.emplace_back(before[i], i, after[i]);
    after[before[i]] = after[i];
    before[after[i]] = before[i];
    --rest;
    misses = 0;
    i = after[i];
    if (rest == 3)
      out.emplace_back(before[i], i, after[i]);
  }
  if (n == 3)
    out.emplace_back(0, 1, 2);
  return out;
}

LoadedMesh repair_mesh(Mesh mesh, const std::string& name, const MeshOptions& options) {
  return Repair(std::move(mesh), name, options).run();
}

}  // namespace talus
