#include "engine/geometry/solid.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// From q to the centre of a ball, or the nearest point of an axis that is not unique for any `otherwise`.
SolidSample around(const glm::dvec3& q, double radius, const glm::dvec3& otherwise) {
  const double length = glm::length(q);
  return {length - radius, length > 0.0 ? q / length : otherwise};
}

// A plane figure turned around z: its outline in (distance from the axis, z), convex, from the upper end of the axis
// to the lower one.
SolidSample turned(std::span<const glm::dvec2> outline, const glm::dvec3& p) {
  const double rho = std::hypot(p.x, p.y);
  const glm::dvec2 q(rho, p.z);
  bool inside = true;
  double best = infinity;
  glm::dvec2 way(0.0), normal(0.0);
  for (std::size_t i = 0; i + 1 < outline.size(); ++i) {
    const glm::dvec2 from = q - outline[i], edge = outline[i + 1] - outline[i];
    const double length2 = glm::dot(edge, edge);
    if (!(length2 > 0.0))
      continue;
    const glm::dvec2 outwards(-edge.y, edge.x);
    inside = inside && glm::dot(outwards, from) <= 0.0;
    const glm::dvec2 d = from - std::clamp(glm::dot(from, edge) / length2, 0.0, 1.0) * edge;
    if (glm::length(d) < best) {
      best = glm::length(d);
      way = d;
      normal = outwards / std::sqrt(length2);
    }
  }
  const glm::dvec2 g = best > 0.0 ? (inside ? -way : way) / best : normal;
  const glm::dvec2 radial = rho > 0.0 ? glm::dvec2(p) / rho : glm::dvec2(1.0, 0.0);
  return {inside ? -best : best, glm::dvec3(g.x * radial, g.y)};
}

struct SampleOf {
  glm::dvec3 p;

  SolidSample operator()(const Solid::Plane&) const { return {p.z, {0.0, 0.0, 1.0}}; }
  SolidSample operator()(const Solid::Box& s) const {
    const glm::dvec3 d = glm::abs(p) - s.half, beyond = glm::max(d, glm::dvec3(0.0));
    const glm::dvec3 side(std::copysign(1.0, p.x), std::copysign(1.0, p.y), std::copysign(1.0, p.z));
    if (const double length = glm::length(beyond); length > 0.0)
      return {length, side * beyond / length};
    const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    glm::dvec3 gradient(0.0);
    gradient[axis] = side[axis];
    return {d[axis], gradient};
  }
  SolidSample operator()(const Solid::Sphere& s) const { return around(p, s.radius, {0.0, 0.0, 1.0}); }
  SolidSample operator()(const Solid::Capsule& s) const {
    return around(p - glm::dvec3(0.0, 0.0, std::clamp(p.z, -s.half_height, s.half_height)), s.radius, {1.0, 0.0, 0.0});
  }
  SolidSample operator()(const Solid::Cone& s) const {
    return turned(
        std::array<glm::dvec2, 4>{
            {{0.0, s.half_height}, {s.top_radius, s.half_height}, {s.radius, -s.half_height}, {0.0, -s.half_height}}},
        p);
  }
  SolidSample operator()(const Solid::Torus& s) const {
    const double rho = std::hypot(p.x, p.y);
    const glm::dvec3 radial = rho > 0.0 ? glm::dvec3(p.x, p.y, 0.0) / rho : glm::dvec3(1.0, 0.0, 0.0);
    return around(p - s.ring * radial, s.tube, {0.0, 0.0, 1.0});
  }
  SolidSample operator()(const Solid::Mesh& s) const {
    const SurfaceSample d = sample(*s.triangles, glm::vec3(p));
    return {d.distance, glm::dvec3(d.gradient)};
  }
};

// Half the extents of a disc along the axes.
glm::dvec3 disc(double radius, const glm::dvec3& normal) {
  return radius * glm::sqrt(glm::max(1.0 - normal * normal, glm::dvec3(0.0)));
}

struct BoundsOf {
  glm::dvec3 position;
  glm::dmat3 axes;

  Bounds around(const glm::dvec3& half) const { return {position - half, position + half}; }
  Bounds operator()(const Solid::Plane&) const { return {glm::dvec3(-infinity), glm::dvec3(infinity)}; }
  Bounds operator()(const Solid::Box& s) const {
    return around(glm::abs(axes[0]) * s.half.x + glm::abs(axes[1]) * s.half.y + glm::abs(axes[2]) * s.half.z);
  }
  Bounds operator()(const Solid::Sphere& s) const { return around(glm::dvec3(s.radius)); }
  Bounds operator()(const Solid::Capsule& s) const { return around(glm::abs(axes[2]) * s.half_height + s.radius); }
  Bounds operator()(const Solid::Cone& s) const {
    const glm::dvec3 up = s.half_height * axes[2], base = disc(s.radius, axes[2]), top = disc(s.top_radius, axes[2]);
    return {position + glm::min(-up - base, up - top), position + glm::max(-up + base, up + top)};
  }
  Bounds operator()(const Solid::Torus& s) const { return around(disc(s.ring, axes[2]) + s.tube); }
  Bounds operator()(const Solid::Mesh& s) const {
    const TriangleGrid& grid = *s.triangles;
    const glm::dvec3 half = 0.5 * static_cast<double>(grid.cell) * glm::dvec3(grid.size);
    const glm::dvec3 turned = glm::abs(axes[0]) * half.x + glm::abs(axes[1]) * half.y + glm::abs(axes[2]) * half.z;
    const glm::dvec3 middle = position + axes * (glm::dvec3(grid.origin) + half);
    return {middle - turned, middle + turned};
  }
};

}  // namespace

SolidSample sample(const Solid& solid, const glm::dvec3& p, const SolidSample& before) {
  SolidSample all = before;
  for (const Solid::Part& part : solid.parts) {
    const SolidSample own = std::visit(SampleOf{glm::conjugate(part.rotation) * (p - part.position)}, part.primitive);
    if (part.subtract ? -own.distance > all.distance : own.distance < all.distance) {
      const double side = part.subtract ? -1.0 : 1.0;
      all = {side * own.distance, side * (part.rotation * own.gradient)};
    }
  }
  return all;
}

Bounds bounds(const Solid& solid) {
  Bounds all{glm::dvec3(infinity), glm::dvec3(-infinity)};
  bool any = false;
  for (const Solid::Part& part : solid.parts) {
    if (part.subtract)
      continue;
    const Bounds own = std::visit(BoundsOf{part.position, glm::mat3_cast(part.rotation)}, part.primitive);
    all = {glm::min(all.min, own.min), glm::max(all.max, own.max)};
    any = true;
  }
  return any ? all : Bounds{glm::dvec3(0.0), glm::dvec3(0.0)};
}

}  // namespace talus
