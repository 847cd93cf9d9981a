#pragma once
// Signed distance from solids, positive outside, and its gradient.
#include "engine/geometry/triangle_grid.h"
#include "engine/reference/laws.h"
#include "shaders/shared/partner.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>

namespace talus::reference {

struct Distance {
  vec3 gradient;
  float value;  // m
};

inline Distance distance_of(vec4 d) {
  return {vec3(d), d.w};
}

// Trilinear between the nodes. Outside the grid only that the surface is further off than `far`.
inline Distance from_grid(const Fields& f, const SolidPart& part, vec3 p) {
  const vec3 q = p / part.cell, inside = glm::clamp(q, vec3(0.0f), part.size - 1.0f);
  if (const vec3 way = q - inside; way != vec3(0.0f)) {
    const float beyond = length_of(way);
    return {way / beyond, part.far + beyond * part.cell};
  }
  const uvec3 size(part.size), node = glm::min(uvec3(inside), size - 2u);
  TALUS_ASSERT(size.x >= 2 && size.y >= 2 && size.z >= 2, size.x, size.y, size.z);
  TALUS_ASSERT(part.first + std::size_t{size.x} * size.y * size.z <= f.shape_data.size(), part.first, size.x, size.y,
               size.z);
  const vec3 t = inside - vec3(node);
  float v[8];  // of corner x + 2 y + 4 z of the cell
  for (uint c = 0; c < 8; ++c) {
    const uint n = ((node.z + (c >> 2)) * size.y + node.y + (c >> 1 & 1)) * size.x + node.x + (c & 1);
    v[c] = std::bit_cast<float>(f.shape_data[part.first + n]);
  }
  return distance_of(from_corners(t, v));
}

inline Distance from_triangles(const Fields& f, const SolidPart& part, vec3 p) {
  const SurfaceSample s =
      sample(&f.shape_data[part.first], uvec3(part.size), part.cell, part.far, !(part.kind & solid_two_sided), p);
  return {s.gradient, s.distance};
}

// Part k of the shapes of bodies and sinks, which shape_data begins with.
inline SolidPart solid_part(const Fields& f, uint k) {
  TALUS_ASSERT(part_words * (std::size_t{k} + 1) <= f.shape_data.size(), k, f.shape_data.size());
  SolidPart part;
  std::memcpy(&part, &f.shape_data[part_words * k], sizeof part);
  return part;
}

static_assert(offsetof(SolidPart, kind) == part_kind_word * sizeof(uint));
inline uint part_kind(const Fields& f, uint k) {
  TALUS_ASSERT(part_words * (std::size_t{k} + 1) <= f.shape_data.size(), k, f.shape_data.size());
  return f.shape_data[part_words * k + part_kind_word];
}

// The mesh that is the only part of a body and met by its triangles, if there is one.
inline std::optional<SolidPart> only_triangles(const Fields& f, uint body) {
  const Body& b = f.bodies[body];
  if (b.parts != 1 || (part_kind(f, b.first_part) & solid_kind_mask) != solid_triangles)
    return std::nullopt;
  return solid_part(f, b.first_part);
}

inline Distance from_shape(const Fields& f, const SolidPart& part, vec3 p) {
  switch (part.kind & solid_kind_mask) {
  case solid_plane:
    return {vec3(0.0f, 0.0f, 1.0f), p.z};
  case solid_box:
    return distance_of(from_box(p, part.size));
  case solid_sphere:
    return distance_of(from_ball(p, part.size.x));
  case solid_capsule:
    return distance_of(from_capsule(p, part.size));
  case solid_cone:
    return distance_of(from_cone(p, part.size));
  case solid_grid:
    return from_grid(f, part, p);
  case solid_triangles:
    return from_triangles(f, part, p);
  default:
    return distance_of(from_torus(p, part.size));
  }
}

// Of several parts the one whose surface is nearest, and which of them it is.
struct NearestSurface : Distance {
  uint surface;
};

// The surfaces of a part taken away, by the gradient of its distance.
inline uint surface_at(uint kind, vec3 n) {
  if (surfaces_of(kind) == 1)
    return 0;
  return (kind & solid_kind_mask) == solid_cone ? surface_of_cone(n) : surface_of_box(n);
}

// From one surface of a part, of one taken away as if it went on for ever. In the part's frame.
inline Distance from_surface(const Fields& f, const SolidPart& part, uint surface, vec3 p) {
  TALUS_ASSERT(surface < surfaces_of(part.kind), surface, part.kind);
  if (surfaces_of(part.kind) > 1)
    return distance_of((part.kind & solid_kind_mask) == solid_cone ? from_surface_of_cone(surface, p, part.size)
                                                                   : from_surface_of_box(surface, p, part.size));
  const Distance d = from_shape(f, part, p);
  return part.kind & solid_subtracts ? Distance{-d.gradient, -d.value} : d;
}

// From parts put together, in their frame.
inline NearestSurface from_parts(const Fields& f, uint first, uint parts, vec3 p) {
  TALUS_ASSERT(parts > 0, first);
  NearestSurface d{};
  for (uint k = 0; k < parts; ++k) {
    const SolidPart part = solid_part(f, first + k);
    const Distance other = from_shape(f, part, rotated_back(part.rotation, p - part.position));
    const bool subtracts = part.kind & solid_subtracts;
    if (k > 0 && !decides(other.value, d.value, subtracts))
      continue;
    const vec3 gradient = rotated(part.rotation, other.gradient);
    d = {{subtracts ? -gradient : gradient, subtracts ? -other.value : other.value},
         part_surfaces * k + surface_at(part.kind, other.gradient)};
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
  TALUS_ASSERT(surface / part_surfaces < b.parts, body, surface, b.parts);
  const SolidPart part = solid_part(f, b.first_part + surface / part_surfaces);
  const vec3 p = rotated_back(part.rotation, rotated_back(b.motion.rotation, offset) - part.position);
  const Distance d = from_surface(f, part, surface % part_surfaces, p);
  return {rotated(b.motion.rotation, rotated(part.rotation, d.gradient)), d.value};
}

inline vec3 in_part(const Fields& f, const SolidPart& part, uint body, vec3 offset) {
  return rotated_back(part.rotation, rotated_back(f.bodies[body].motion.rotation, offset) - part.position);
}

// How far a point away from a body's origin is from the body's mesh, and whether a grain there may touch it at several
// places. reach: m, of the grain.
inline Surroundings around_mesh(const Fields& f, const SolidPart& part, uint body, vec3 offset, float reach) {
  return look_around(&f.shape_data[part.first], uvec3(part.size), part.cell, part.far, !(part.kind & solid_two_sided),
                     in_part(f, part, body, offset), reach);
}

// From the place of that rank at which a grain of radius r touches the mesh.
inline Distance from_hollow(const Fields& f, const SolidPart& part, uint body, uint rank, vec3 offset, float r) {
  TALUS_ASSERT(rank < hollow_surfaces && (part.kind & solid_kind_mask) == solid_triangles, body, rank, part.kind);
  const auto s = sample_hollow(&f.shape_data[part.first], uvec3(part.size), part.cell, part.far,
                               !(part.kind & solid_two_sided), in_part(f, part, body, offset), hollow_reach * r, rank);
  if (!s)
    return {vec3(0.0f, 0.0f, 1.0f), surface_hidden * r};
  return {rotated(f.bodies[body].motion.rotation, rotated(part.rotation, s->gradient)), s->distance};
}

}  // namespace talus::reference
