#ifndef TALUS_SOLID
#define TALUS_SOLID
layout(set = 0, binding = 14, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 15, scalar) readonly buffer PartBlock { SolidPart solid_parts[]; };
layout(set = 0, binding = 16, scalar) readonly buffer ShapeBlock { uint shape_data[]; };

layout(constant_id = 0) const uint solid_kinds = ~0u;  // constant_solid_kinds
bool has_kind(uint kind) { return (solid_kinds & 1u << kind) != 0u; }

// Signed distance from solids, positive outside, with its gradient: vec4(gradient, distance). `precise` where lists of contacts
// depend on it, so that the CPU finds the same ones.
vec3 rotated(vec4 q, vec3 v) {
  precise vec3 t = 2.0 * cross(q.xyz, v);
  precise vec3 r = v + q.w * t + cross(q.xyz, t);
  return r;
}

vec3 rotated_back(vec4 q, vec3 v) { return rotated(vec4(-q.xyz, q.w), v); }

float length_of(vec3 v) {
  precise float s = v.x * v.x + v.y * v.y + v.z * v.z;
  return sqrt(s);
}
float length_of(vec2 v) {
  precise float s = v.x * v.x + v.y * v.y;
  return sqrt(s);
}

// From a point towards p, or up where the two meet.
vec4 from_point(vec3 d, float radius) {
  float l = length_of(d);
  return vec4(l > 0.0 ? d / l : vec3(0.0, 0.0, 1.0), l - radius);
}

vec4 from_box(vec3 p, vec3 size) {
  precise vec3 q = abs(p) - size;
  vec3 side = vec3(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0, p.z < 0.0 ? -1.0 : 1.0);
  float inside = max(q.x, max(q.y, q.z));
  if (inside <= 0.0) {
    vec3 n = q.z == inside ? vec3(0.0, 0.0, side.z) : q.y == inside ? vec3(0.0, side.y, 0.0) : vec3(side.x, 0.0, 0.0);
    return vec4(n, inside);
  }
  vec3 out_by = max(q, vec3(0.0));
  float l = length_of(out_by);
  return vec4(side * out_by / l, l);
}

// In the plane of the axis and p: the nearest point of the rim's slope or of an end.
vec4 from_cone(vec3 p, vec3 size) {
  float across = length_of(p.xy);
  precise float slope_x = size.y - size.x, slope_y = 2.0 * size.z;
  precise float rim_x = across - size.x, rim_y = p.z + size.z;
  precise float slope2 = slope_x * slope_x + slope_y * slope_y;
  precise float along = clamp((rim_x * slope_x + rim_y * slope_y) / slope2, 0.0, 1.0);
  precise vec2 to_rim = vec2(rim_x - along * slope_x, rim_y - along * slope_y);
  float up = p.z < 0.0 ? -1.0 : 1.0;
  precise vec2 to_end = vec2(max(across - (p.z < 0.0 ? size.x : size.y), 0.0), abs(p.z) - size.z);
  float rim = length_of(to_rim), end = length_of(to_end), l = min(rim, end);
  precise float left = rim_x * slope_y - rim_y * slope_x;  // of the slope: inside
  float side = left < 0.0 && to_end.y < 0.0 ? -1.0 : 1.0;
  vec2 n = rim < end ? to_rim : vec2(to_end.x, to_end.y * up);
  n = l > 0.0 ? side * n / l : rim < end ? vec2(slope_y, -slope_x) / sqrt(slope2) : vec2(0.0, up);
  return vec4(across > 0.0 ? n.x * p.xy / across : vec2(n.x, 0.0), n.y, side * l);
}

vec4 from_torus(vec3 p, vec3 size) {
  float across = length_of(p.xy);
  vec3 ring = across > 0.0 ? vec3(p.xy / across, 0.0) : vec3(1.0, 0.0, 0.0);
  precise vec3 d = p - size.x * ring;
  return from_point(d, size.y);
}

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
    return from_point(q, part.size.x);
  if (has_kind(solid_capsule) && kind == solid_capsule)
    return from_point(vec3(q.xy, q.z - clamp(q.z, -part.size.z, part.size.z)), part.size.x);
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

// Is a mesh that is met by its triangles the only part of a body?
bool only_triangles(uint body) {
  return has_kind(solid_triangles) && bodies[body].parts == 1u &&
         (solid_parts[bodies[body].first_part].kind & solid_kind_mask) == solid_triangles;
}

// In the frame of the first part of a body, at a point away from the body's origin.
vec3 in_body(uint body, vec3 offset) {
  return in_part(solid_parts[bodies[body].first_part], rotated_back(bodies[body].motion.rotation, offset));
}

#include "shared/solid_surfaces.glsl"

// Of parts put together, in their frame. nearest: the surface that is.
vec4 from_parts(uint first, uint end, vec3 p, out uint nearest) {
  vec4 d = vec4(0.0);
  nearest = 0u;
  for (uint k = first; k < end; ++k) {
    SolidPart part = solid_parts[k];
    vec4 other = from_shape(part, in_part(part, p));
    uint surface = part_surfaces * (k - first) + surface_at(part.kind, other.xyz);
    other.xyz = rotated(part.rotation, other.xyz);
    bool subtracts = (part.kind & solid_subtracts) != 0u;
    if (k == first || (subtracts ? -other.w > d.w : other.w < d.w)) {
      d = subtracts ? -other : other;
      nearest = surface;
    }
  }
  return d;
}
vec4 from_parts(uint first, uint end, vec3 p) {
  uint nearest;
  return from_parts(first, end, p, nearest);
}

// Of a body in the world, at a point away from its origin.
vec4 from_body(uint body, vec3 offset, out uint nearest) {
  vec4 rotation = bodies[body].motion.rotation;
  uint first = bodies[body].first_part;
  vec4 d = from_parts(first, first + bodies[body].parts, rotated_back(rotation, offset), nearest);
  return vec4(rotated(rotation, d.xyz), d.w);
}
vec4 from_body(uint body, vec3 offset) {
  uint nearest;
  return from_body(body, offset, nearest);
}

// Of one of a body's surfaces, whether it is the nearest one or not.
vec4 from_body_surface(uint body, uint surface, vec3 offset) {
  vec4 rotation = bodies[body].motion.rotation;
  SolidPart part = solid_parts[bodies[body].first_part + surface / part_surfaces];
  vec3 q = in_part(part, rotated_back(rotation, offset));
  vec4 d = from_surface(part, surface % part_surfaces, q);
  return vec4(rotated(rotation, rotated(part.rotation, d.xyz)), d.w);
}
#endif
