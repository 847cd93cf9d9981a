#ifndef TALUS_SOLID
#define TALUS_SOLID
layout(set = 0, binding = 14, scalar) readonly buffer BodyBlock { Body bodies[]; };
#include "shared/shape_data.glsl"

layout(constant_id = 0) const uint solid_kinds = ~0u;  // constant_solid_kinds
#define has_kind(kind) ((solid_kinds & 1u << (kind)) != 0u)  // a constant in every place, which engine/gpu/prune.h follows

#include "shared/solid_part.glsl"

// Signed distances, positive outside, with their gradients: vec4(gradient, distance).
#include "shared/laws/dialect.h"
#include "shared/rotation.glsl"
#include "shared/laws/solid.h"
#include "shared/solid_grid.glsl"
#include "shared/solid_triangles.glsl"

// In the part's frame.
vec4 from_shape(SolidPart part, vec3 q) {
  // Told apart only where a scene has several kinds.
  uint kinds = solid_kinds & solid_kind_bits;
  uint kind = bitCount(kinds) == 1 ? uint(findLSB(kinds)) : part.kind & solid_kind_mask;
  if (has_kind(solid_plane) && kind == solid_plane)
    return vec4(0.0, 0.0, 1.0, q.z);
  if (has_kind(solid_box) && kind == solid_box)
    return from_box(q, part.size);
  if (has_kind(solid_sphere) && kind == solid_sphere)
    return from_ball(q, part.size.x);
  if (has_kind(solid_capsule) && kind == solid_capsule)
    return from_capsule(q, part.size);
  if (has_kind(solid_cone) && kind == solid_cone)
    return from_cone(q, part.size);
  if (has_kind(solid_torus) && kind == solid_torus)
    return from_torus(q, part.size);
  if (has_kind(solid_grid) && kind == solid_grid)
    return from_grid(part, q);
  if (has_kind(solid_triangles))
    return from_triangles(part, q);
  return vec4(0.0);
}

vec3 in_part(SolidPart part, vec3 p) {
  precise vec3 offset = p - part.position;
  return rotated_back(part.rotation, offset);
}

// Is a mesh that is met by its triangles the only part of a body? It is of all bodies of a scene that has no others.
bool only_triangles(uint body) {
  if ((solid_kinds & (1u << solid_composed | solid_kind_bits)) == 1u << solid_triangles)
    return true;
  return has_kind(solid_triangles) && bodies[body].parts == 1u &&
         (part_kind(bodies[body].first_part) & solid_kind_mask) == solid_triangles;
}

// In the frame of the first part of a body, at a point away from the body's origin.
vec3 in_body(uint body, vec3 offset) {
  return in_part(solid_part(bodies[body].first_part), rotated_back(bodies[body].motion.rotation, offset));
}

#include "shared/solid_surfaces.glsl"

// Puts part k to those of a body before it, of which `first` is the first. p: in the body's frame.
void put_together(uint k, uint first, vec3 p, inout vec4 d, inout uint nearest) {
  SolidPart part = solid_part(k);
  vec4 other = from_shape(part, in_part(part, p));
  uint surface = part_surfaces * (k - first) + surface_at(part.kind, other.xyz);
  other.xyz = rotated(part.rotation, other.xyz);
  bool subtracts = (part.kind & solid_subtracts) != 0u;
  if (k == first || decides(other.w, d.w, subtracts)) {
    d = subtracts ? -other : other;
    nearest = surface;
  }
}

// Of parts put together, in their frame. nearest: the surface that is.
vec4 from_parts(uint first, uint end, vec3 p, out uint nearest) {
  vec4 d = vec4(0.0);
  nearest = 0u;
  for (uint k = first; k < end; ++k)
    put_together(k, first, p, d, nearest);
  return d;
}
vec4 from_parts(uint first, uint end, vec3 p) {
  uint nearest;
  return from_parts(first, end, p, nearest);
}

// Of a body in the world, at a point away from its origin.
// TURNS_FOR_EACH_PART: the way into the body's frame is computed anew for each part, so that neither the body's rotation nor the place in its
// frame, 7 registers, are live beside what a part takes.
#ifndef TURNS_FOR_EACH_PART
#define TURNS_FOR_EACH_PART false
#endif
vec4 from_body(uint body, vec3 offset, out uint nearest) {
  uint first = bodies[body].first_part, end = first + bodies[body].parts;
  vec3 p;
  if (!TURNS_FOR_EACH_PART)
    p = rotated_back(bodies[body].motion.rotation, offset);
  vec4 d = vec4(0.0);
  nearest = 0u;
  for (uint k = first; k < end; ++k) {
    if (TURNS_FOR_EACH_PART)
      p = rotated_back(bodies[body].motion.rotation, offset);
    put_together(k, first, p, d, nearest);
  }
  return vec4(rotated(bodies[body].motion.rotation, d.xyz), d.w);
}
vec4 from_body(uint body, vec3 offset) {
  uint nearest;
  return from_body(body, offset, nearest);
}

// Of one of a body's surfaces, whether it is the nearest one or not.
vec4 from_body_surface(uint body, uint surface, vec3 offset) {
  vec4 rotation = bodies[body].motion.rotation;
  SolidPart part = solid_part(bodies[body].first_part + surface / part_surfaces);
  vec3 q = in_part(part, rotated_back(rotation, offset));
  vec4 d = from_surface(part, surface % part_surfaces, q);
  return vec4(rotated(rotation, rotated(part.rotation, d.xyz)), d.w);
}
#endif
