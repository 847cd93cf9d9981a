// Distance field of a mesh on a grid.
#include "engine/core/passes.h"
#include "shaders/shared/bake.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

namespace talus::reference {
namespace {

constexpr std::size_t tree_depth = 32;

bool is_leaf(const BakeGrid& grid, uint node) {
  return node + 1 >= grid.leaves;
}

std::span<const BakeTriangle, leaf_triangles> triangles_of(const Fields& f, uint leaf) {
  TALUS_ASSERT(is_leaf(f.bake_grid[0], leaf) &&
                   (leaf + 2 - f.bake_grid[0].leaves) * std::size_t{leaf_triangles} <= f.bake_triangles.size(),
               leaf, f.bake_grid[0].leaves, f.bake_triangles.size());
  return std::span<const BakeTriangle, leaf_triangles>(
      &f.bake_triangles[(leaf + 1 - f.bake_grid[0].leaves) * leaf_triangles], leaf_triangles);
}

float squared(vec3 d) {
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

float to_segment(vec3 p, vec3 a, vec3 b) {
  const vec3 edge = b - a;
  const float length2 = squared(edge);
  const float t = length2 > 0.0f ? std::clamp(glm::dot(p - a, edge) / length2, 0.0f, 1.0f) : 0.0f;
  return squared(p - a - t * edge);
}

// Squared distance, by the plane where p lies above the triangle, else by the edges: where it has no plane, that is all
// there is.
float to_triangle(vec3 p, const BakeTriangle& t) {
  const vec3 n = glm::cross(t.b - t.a, t.c - t.b);
  const float n2 = squared(n);
  const auto within = [&](vec3 a, vec3 b) { return glm::dot(glm::cross(n, b - a), p - a) > 0.0f; };
  if (n2 > 1e-30f && within(t.a, t.b) && within(t.b, t.c) && within(t.c, t.a)) {
    const float height = glm::dot(n, p - t.b);
    return height * height / n2;
  }
  return std::min({to_segment(p, t.a, t.b), to_segment(p, t.b, t.c), to_segment(p, t.c, t.a)});
}

float to_box(vec3 p, const BakeNode& node) {
  return squared(glm::max(glm::max(node.low - p, p - node.high), vec3(0.0f)));
}

// Distance from the mesh, where it is less than `bound`. Depth first, the nearer child first.
float closest(const Fields& f, vec3 p, float bound) {
  struct Waiting {
    uint node;
    float distance2;  // of its bounds
  };
  std::array<Waiting, tree_depth> waiting;
  waiting[0] = {0, 0.0f};
  float best = bound * bound;
  for (uint count = 1, opened = 0; count > 0 && opened < leaves_most;) {
    const auto [node, distance2] = waiting[--count];
    if (distance2 >= best)
      continue;
    if (is_leaf(f.bake_grid[0], node)) {
      for (const BakeTriangle& t : triangles_of(f, node))
        best = std::min(best, to_triangle(p, t));
      ++opened;
      continue;
    }
    Waiting near{2 * node + 1, to_box(p, f.bake_tree[2 * node + 1])};
    Waiting far{2 * node + 2, to_box(p, f.bake_tree[2 * node + 2])};
    if (far.distance2 < near.distance2)
      std::swap(near, far);
    TALUS_ASSERT(count + 2 <= tree_depth && 2 * node + 2 < f.bake_tree.size(), count, node, f.bake_tree.size());
    if (far.distance2 < best)
      waiting[count++] = far;
    waiting[count++] = near;
  }
  return std::sqrt(best);
}

// Van Oosterom and Strackee 1983.
float solid_angle(vec3 p, const BakeTriangle& t) {
  const vec3 a = t.a - p, b = t.b - p, c = t.c - p;
  const float det = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
  if (det == 0.0f)
    return 0.0f;
  const float la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
  const double y = det, x = la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
  return 2.0f * static_cast<float>(std::atan2(y, x));  // as exp() and others in laws.h
}

// Generalised winding number, hierarchical (Barill et al. 2018, with dipoles): 1 inside, 0 outside, and in between near
// holes.
float winding_number(const Fields& f, vec3 p) {
  std::array<uint, tree_depth> waiting;
  waiting[0] = 0;
  float sum = 0.0f;
  for (uint count = 1; count > 0;) {
    const uint i = waiting[--count];
    const BakeNode& node = f.bake_tree[i];
    const vec3 d = node.centre - p;
    const float d2 = squared(d);
    if (d2 > node.near2) {
      sum += glm::dot(d, node.area) / (d2 * std::sqrt(d2));
    } else if (is_leaf(f.bake_grid[0], i)) {
      for (const BakeTriangle& t : triangles_of(f, i))
        sum += solid_angle(p, t);
    } else {
      TALUS_ASSERT(count + 2 <= tree_depth && 2 * i + 2 < f.bake_tree.size(), count, i, f.bake_tree.size());
      waiting[count++] = 2 * i + 1;
      waiting[count++] = 2 * i + 2;
    }
  }
  return sum / (4.0f * pi);
}

float signed_distance(const BakeCorner& corner) {
  return corner.winding > 0.5f ? -corner.distance : corner.distance;
}

float exact(const Fields& f, uvec3 node) {
  const uint nearest = nearest_corner(node, f.bake_grid[0].bricks);
  const BakeCorner& corner = f.bake_corners[nearest];
  const vec3 p(node), q(place_of(nearest, f.bake_grid[0].bricks + 1u) * brick_edge);
  const float apart = glm::distance(p, q);
  // The mesh is no further than by way of the corner; a little more for rounding.
  const float distance = closest(f, p, 1.0001f * (corner.distance + apart) + 1e-3f);
  // Two empty balls around node and corner that overlap lie on one side of the mesh; not near a hole, where the winding
  // number is no whole number. Half a cell, since a search that stopped early is a little above the truth.
  const bool one_side =
      corner.distance + distance > apart + 0.5f && std::abs(corner.winding - std::round(corner.winding)) < 0.1f;
  return (one_side ? corner.winding : winding_number(f, p)) > 0.5f ? -distance : distance;
}

}  // namespace

void sdf_corners(const Args& args, Fields& f, uint begin, uint end) {
  const uvec3 size = f.bake_grid[0].bricks + 1u;
  for (uint i = args.first + begin; i < std::min(args.first + end, size.x * size.y * size.z); ++i) {
    const vec3 p(place_of(i, size) * brick_edge);
    f.bake_corners[i] = {closest(f, p, 1e18f), winding_number(f, p)};
  }
}

void sdf_nodes(const Args& args, Fields& f, uint begin, uint end) {
  const BakeGrid& grid = f.bake_grid[0];
  for (uint element = args.first + begin; element < args.first + end; ++element) {
    const uvec3 brick = place_of(element / brick_nodes, grid.bricks);
    const uvec3 inside = place_of(element % brick_nodes, uvec3(brick_edge)), node = brick * brick_edge + inside;
    if (node.x >= grid.size.x || node.y >= grid.size.y || node.z >= grid.size.z)
      continue;
    const vec3 t = vec3(inside) / static_cast<float>(brick_edge);
    float least = 0.0f, between = 0.0f;  // the mesh is no nearer than `least`
    for (uint c = 0; c < 8; ++c) {
      const uvec3 side(c & 1, c >> 1 & 1, c >> 2);
      const BakeCorner& corner = f.bake_corners[index_of(brick + side, grid.bricks + 1u)];
      const vec3 share = glm::mix(1.0f - t, t, vec3(side));
      least = std::max(least, corner.distance - static_cast<float>(brick_edge) * glm::distance(t, vec3(side)));
      between += share.x * share.y * share.z * signed_distance(corner);
    }
    const float far = std::clamp(least - grid.band, 0.0f, 1.0f);  // from one to the other over a cell
    f.bake_values[index_of(node, grid.size)] = far < 1.0f ? glm::mix(exact(f, node), between, far) : between;
  }
}

}  // namespace talus::reference
