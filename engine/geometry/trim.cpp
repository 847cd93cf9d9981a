#include "engine/geometry/trim.h"
#include "engine/geometry/mesh.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace talus {
namespace {

class Trimmer {
public:
  Trimmer(Triangles triangles, const std::function<double(const glm::dvec3&)>& keep, double cell)
      : keep_(keep), cell_(cell), vertices_(std::move(triangles.vertices)), open_(std::move(triangles.corners)) {}

  Triangles run() {
    while (!open_.empty()) {
      const glm::uvec3 triangle = open_.back();
      open_.pop_back();
      if (!split(triangle))
        clip(triangle);
    }
    return std::move(out_);
  }

private:
  // Whether an edge is cut in halves depends on nothing but the edge, so that neighbours stay neighbours. The
  // balls around its edges, as diameters, cover a triangle: where keep is 0 inside of it, one of them knows.
  std::uint32_t middle(std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] = middles_.try_emplace(key(a, b), no_index);
    if (is_new) {
      const double length = glm::distance(vertices_[a].position, vertices_[b].position);
      const glm::dvec3 half = 0.5 * (vertices_[a].position + vertices_[b].position);
      if (length > cell_ && std::abs(keep_(half)) < 0.5 * length) {
        found->second = static_cast<std::uint32_t>(vertices_.size());
        add(a, b, 0.5);
      }
    }
    return found->second;
  }

  bool split(const glm::uvec3& t) {
    const std::array<std::uint32_t, 3> m{middle(t[0], t[1]), middle(t[1], t[2]), middle(t[2], t[0])};
    const int count = (m[0] != no_index) + (m[1] != no_index) + (m[2] != no_index);
    if (count == 3) {
      for (int i = 0; i < 3; ++i)
        open_.push_back({t[i], m[i], m[(i + 2) % 3]});
      open_.push_back({m[0], m[1], m[2]});
    }
    for (int i = 0; i < 3 && count == 1; ++i)
      if (m[i] != no_index) {
        open_.push_back({t[i], m[i], t[(i + 2) % 3]});
        open_.push_back({m[i], t[(i + 1) % 3], t[(i + 2) % 3]});
      }
    for (int i = 0; i < 3 && count == 2; ++i)
      if (m[i] == no_index) {
        const std::uint32_t a = t[i], b = t[(i + 1) % 3], c = t[(i + 2) % 3], bc = m[(i + 1) % 3], ca = m[(i + 2) % 3];
        open_.push_back({a, b, bc});
        open_.push_back({a, bc, ca});
        open_.push_back({ca, bc, c});
      }
    return count > 0;
  }

  double value(std::uint32_t v) {
    const auto [found, is_new] = values_.try_emplace(v, 0.0);
    if (is_new)
      found->second = keep_(vertices_[v].position);
    return found->second;
  }

  // Where keep is 0 between a and b.
  std::uint32_t crossing(std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] = crossings_.try_emplace(key(a, b), no_index);
    if (is_new) {
      if (a > b)
        std::swap(a, b);
      const bool from = value(a) > 0.0;
      double low = 0.0, high = 1.0;
      for (int i = 0; i < 30; ++i) {
        const double half = 0.5 * (low + high);
        ((keep_(glm::mix(vertices_[a].position, vertices_[b].position, half)) > 0.0) == from ? low : high) = half;
      }
      found->second = static_cast<std::uint32_t>(vertices_.size());
      add(a, b, low);
    }
    return found->second;
  }

  void clip(const glm::uvec3& t) {
    std::array<std::uint32_t, 4> kept{};
    std::size_t count = 0;
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      if (value(a) > 0.0)
        kept[count++] = a;
      if ((value(a) > 0.0) != (value(b) > 0.0))
        kept[count++] = crossing(a, b);
    }
    for (std::size_t i = 2; i < count; ++i)
      out_.corners.push_back({put_out(kept[0]), put_out(kept[i - 1]), put_out(kept[i])});
  }

  std::uint32_t put_out(std::uint32_t v) {
    const auto [found, is_new] = numbers_.try_emplace(v, static_cast<std::uint32_t>(out_.vertices.size()));
    if (is_new)
      out_.vertices.push_back(vertices_[v]);
    return found->second;
  }

  void add(std::uint32_t a, std::uint32_t b, double share) {
    const Triangles::Vertex &from = vertices_[a], &to = vertices_[b];
    vertices_.push_back(
        {glm::mix(from.position, to.position, share), glm::normalize(glm::mix(from.normal, to.normal, share))});
  }

  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }

  const std::function<double(const glm::dvec3&)>& keep_;
  double cell_;
  std::vector<Triangles::Vertex> vertices_;
  std::vector<glm::uvec3> open_;
  std::unordered_map<std::uint64_t, std::uint32_t> middles_, crossings_;
  std::unordered_map<std::uint32_t, double> values_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  Triangles out_;
};

}  // namespace

Triangles trim(Triangles triangles, const std::function<double(const glm::dvec3&)>& keep, double cell) {
  return Trimmer(std::move(triangles), keep, cell).run();
}

}  // namespace talus
