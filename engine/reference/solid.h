#pragma once
// Signed distance from solids, positive outside, and its gradient.
#include "engine/geometry/triangle_grid.h"
#include "engine/passes.h"
#include "shaders/shared/partner.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace talus::reference {

struct Distance {
  vec3 gradient;
  float value;  // m
};

inline vec3 rotated(vec4 q, vec3 v) {
  const vec3 t = 2.0f * glm::cross(vec3(q), v);
  return v + q.w * t + glm::cross(vec3(q), t);
}
inline vec3 rotated_back(vec4 q, vec3 v) {
  return rotated(vec4(-vec3(q), q.w), v);
}

inline float sign_of(float x) {
  return x < 0.0f ? -1.0f : 1.0f;
}

// Written out: the order of the additions is part of the result.
inline float length_of(float x, float y) {
  return std::sqrt(x * x + y * y);
}
inline float length_of(vec3 v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// From a ball at the origin.
inline Distance from_ball(vec3 p, float radius) {
  const float l = length_of(p);
  return {l > 0.0f ? p / l : vec3(0.0f, 0.0f, 1.0f), l - radius};
}

inline Distance from_box(vec3 p, vec3 size) {
  const vec3 q = glm::abs(p) - size;
  const int nearest = q.z >= q.x && q.z >= q.y ? 2 : q.y >= q.x ? 1 : 0;
  Distance d{vec3(0.0f), q[nearest]};
  if (d.value <= 0.0f) {
    d.gradient[nearest] = sign_of(p[nearest]);
    return d;
  }
  for (int a = 0; a < 3; ++a)
    d.gradient[a] = std::max(q[a], 0.0f);
  d.value = length_of(d.gradient);
  for (int a = 0; a < 3; ++a)
    d.gradient[a] *= sign_of(p[a]) / d.value;
  return d;
}

// A truncated cone: in the plane of its axis and p a trapezium, of which the slope or an end is nearest.
inline Distance from_cone(vec3 p, vec3 size) {
  const float across = length_of(p.x, p.y), up = sign_of(p.z);
  const float slope_x = size.y - size.x, slope_y = 2.0f * size.z;
  const float foot_x = across - size.x, foot_y = p.z + size.z;  // from the slope's lower end
  const float slope2 = slope_x * slope_x + slope_y * slope_y;
  const float along = std::clamp((foot_x * slope_x + foot_y * slope_y) / slope2, 0.0f, 1.0f);
  const glm::vec2 to_slope(foot_x - along * slope_x, foot_y - along * slope_y);
  const glm::vec2 to_end(std::max(across - (p.z < 0.0f ? size.x : size.y), 0.0f), std::abs(p.z) - size.z);
  const float slope = length_of(to_slope.x, to_slope.y), end = length_of(to_end.x, to_end.y);
  const bool inside = foot_x * slope_y - foot_y * slope_x < 0.0f && to_end.y < 0.0f;
  const float side = inside ? -1.0f : 1.0f, l = std::min(slope, end);
  glm::vec2 n;
  if (l > 0.0f)
    n = (side / l) * (slope < end ? to_slope : glm::vec2(to_end.x, to_end.y * up));
  else
    n = slope < end ? glm::vec2(slope_y, -slope_x) / std::sqrt(slope2) : glm::vec2(0.0f, up);
  const glm::vec2 out = across > 0.0f ? n.x * glm::vec2(p) / across : glm::vec2(n.x, 0.0f);
  return {vec3(out, n.y), side * l};
}

inline Distance from_torus(vec3 p, vec3 size) {
  const float across = length_of(p.x, p.y);
  const vec3 ring = across > 0.0f ? vec3(p.x / across, p.y / across, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
  return from_ball(p - size.x * ring, size.y);
}

// Trilinear between the nodes. Outside the grid only that the surface is further off than `far`.
inline Distance from_grid(const Fields& f, const SolidPart& part, vec3 p) {
  const vec3 q = p / part.cell, inside = glm::clamp(q, vec3(0.0f), part.size - 1.0f);
  if (const vec3 way = q - inside; way != vec3(0.0f)) {
    const float beyond = length_of(way);
    return {way / beyond, part.far + beyond * part.cell};
  }
  const uvec3 size(part.size), node = glm::min(uvec3(inside), size - 2u);
  const vec3 t = inside - vec3(node);
  const auto at = [&](uint x, uint y, uint z) {
    const uint n = ((node.z + z) * size.y + node.y + y) * size.x + node.x + x;
    return std::bit_cast<float>(f.shape_data[part.first + n]);
  };
  const auto between = [](float a, float b, float share) { return a + share * (b - a); };
  std::array<std::array<float, 2>, 2> x, rise;  // [z][y]
  for (uint z = 0; z < 2; ++z)
    for (uint y = 0; y < 2; ++y) {
      const float a = at(0, y, z), b = at(1, y, z);
      x[z][y] = between(a, b, t.x);
      rise[z][y] = b - a;
    }
  const float low = between(x[0][0], x[0][1], t.y), high = between(x[1][0], x[1][1], t.y);
  const vec3 gradient(between(between(rise[0][0], rise[0][1], t.y), between(rise[1][0], rise[1][1], t.y), t.z),
                      between(x[0][1] - x[0][0], x[1][1] - x[1][0], t.z), high - low);
  const float slope = length_of(gradient);
  return {slope > 0.0f ? gradient / slope : vec3(0.0f, 0.0f, 1.0f), between(low, high, t.z)};
}

inline Distance from_triangles(const Fields& f, const SolidPart& part, vec3 p) {
  const SurfaceSample s =
      sample(&f.shape_data[part.first], uvec3(part.size), part.cell, part.far, !(part.kind & solid_two_sided), p);
  return {s.gradient, s.distance};
}

// The mesh that is the only part of a body and met by its triangles, or null.
inline const SolidPart* only_triangles(const Fields& f, uint body) {
  const Body& b = f.bodies[body];
  const SolidPart& part = f.solid_parts[b.first_part];
  return b.parts == 1 && (part.kind & solid_kind_mask) == solid_triangles ? &part : nullptr;
}

inline Distance from_shape(const Fields& f, const SolidPart& part, vec3 p) {
  switch (part.kind & solid_kind_mask) {
  case solid_plane:
    return {vec3(0.0f, 0.0f, 1.0f), p.z};
  case solid_box:
    return from_box(p, part.size);
  case solid_sphere:
    return from_ball(p, part.size.x);
  case solid_capsule:
    return from_ball(vec3(p.x, p.y, p.z - std::clamp(p.z, -part.size.z, part.size.z)), part.size.x);
  case solid_cone:
    return from_cone(p, part.size);
  case solid_grid:
    return from_grid(f, part, p);
  case solid_triangles:
    return from_triangles(f, part, p);
  default:
    return from_torus(p, part.size);
  }
}

// Of several parts the one whose surface is nearest, and which of them it is.
struct NearestSurface : Distance {
  uint surface;
};

// The surfaces of a part taken away, by the gradient of its distance: inside it, that is the normal of the nearest one.
inline uint surface_at(uint kind, vec3 n) {
  if (surfaces_of(kind) == 1)
    return 0;
  if ((kind & solid_kind_mask) == solid_cone)
    return n.x != 0.0f || n.y != 0.0f ? 0 : n.z < 0.0f ? 1 : 2;
  const vec3 size = glm::abs(n);
  const int axis = size.z >= std::max(size.x, size.y) ? 2 : size.y >= size.x ? 1 : 0;
  return 2 * static_cast<uint>(axis) + (n[axis] < 0.0f ? 0 : 1);
}

// From one surface of a part, of one taken away as if it went on for ever. In the part's frame.
inline Distance from_surface(const Fields& f, const SolidPart& part, uint surface, vec3 p) {
  const auto inside = [](vec3 n, float value) { return Distance{-n, value}; };
  if (surfaces_of(part.kind) == 1) {
    const Distance d = from_shape(f, part, p);
    return part.kind & solid_subtracts ? inside(d.gradient, -d.value) : d;
  }
  if ((part.kind & solid_kind_mask) == solid_cone && surface == 0) {
    const float across = length_of(p.x, p.y);
    const float slope_x = part.size.y - part.size.x, slope_y = 2.0f * part.size.z;
    const float left = (across - part.size.x) * slope_y - (p.z + part.size.z) * slope_x;
    const float slope = length_of(slope_x, slope_y);
    const glm::vec2 n = glm::vec2(slope_y, -slope_x) / slope;
    const glm::vec2 out = across > 0.0f ? n.x * glm::vec2(p) / across : glm::vec2(n.x, 0.0f);
    return inside(vec3(out, n.y), -left / slope);
  }
  const bool end = (part.kind & solid_kind_mask) == solid_cone;
  const int axis = end ? 2 : static_cast<int>(surface / 2);
  const float side = surface == (end ? 1 : 2 * static_cast<uint>(axis)) ? -1.0f : 1.0f;
  vec3 n(0.0f);
  n[axis] = side;
  return inside(n, part.size[axis] - side * p[axis]);
}

// From parts put together, in their frame.
inline NearestSurface from_parts(const Fields& f, uint first, uint parts, vec3 p) {
  NearestSurface d{};
  for (uint k = 0; k < parts; ++k) {
    const SolidPart& part = f.solid_parts[first + k];
    const Distance other = from_shape(f, part, rotated_back(part.rotation, p - part.position));
    const bool subtracts = part.kind & solid_subtracts;
    const float value = subtracts ? -other.value : other.value;
    if (k > 0 && !(subtracts ? value > d.value : value < d.value))
      continue;
    const vec3 gradient = rotated(part.rotation, other.gradient);
    d = {{subtracts ? -gradient : gradient, value}, part_surfaces * k + surface_at(part.kind, other.gradient)};
  }
  return d;
}

// From a body in the world, at a point away from its origin.
inline NearestSurface from_body(const Fields& f, uint body, vec3 offset) {
  const Body& b = f.bodies[body];
  const NearestSurface d = from_parts(f, b.first_part, b.parts, rotated_back(b.motion.rotation, offset));
  return {{rotated(b.motion.rotation, d.gradient), d.value}, d.surface};
}

// From one of a body's surfaces, whether it is the nearest one or not.
inline Distance from_body_surface(const Fields& f, uint body, uint surface, vec3 offset) {
  const Body& b = f.bodies[body];
  const SolidPart& part = f.solid_parts[b.first_part + surface / part_surfaces];
  const vec3 p = rotated_back(part.rotation, rotated_back(b.motion.rotation, offset) - part.position);
  const Distance d = from_surface(f, part, surface % part_surfaces, p);
  return {rotated(b.motion.rotation, rotated(part.rotation, d.gradient)), d.value};
}

inline vec3 in_part(const Fields& f, const SolidPart& part, uint body, vec3 offset) {
  return rotated_back(part.rotation, rotated_back(f.bodies[body].motion.rotation, offset) - part.position);
}

// May a grain at a point away from a body's origin touch the body's mesh at several places? reach: m, of the grain.
inline bool is_in_hollow(const Fields& f, uint body, vec3 offset, float reach) {
  const SolidPart* part = only_triangles(f, body);
  return part && is_hollow(&f.shape_data[part->first], uvec3(part->size), part->cell, !(part->kind & solid_two_sided),
                           in_part(f, *part, body, offset), reach);
}

// From the place of that rank at which a grain of radius r touches the mesh.
inline Distance from_hollow(const Fields& f, const SolidPart& part, uint body, uint rank, vec3 offset, float r) {
  const auto s = sample_hollow(&f.shape_data[part.first], uvec3(part.size), part.cell, part.far,
                               !(part.kind & solid_two_sided), in_part(f, part, body, offset), hollow_reach * r, rank);
  if (!s)
    return {vec3(0.0f, 0.0f, 1.0f), surface_hidden * r};
  return {rotated(f.bodies[body].motion.rotation, rotated(part.rotation, s->gradient)), s->distance};
}

}  // namespace talus::reference
