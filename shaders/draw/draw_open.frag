// How open each pixel's surface is to the sky, against what is seen around it (after McGuire et al. 2011, Alchemy), among
// grains and among heaps; and which way the surface of a heap faces whose grains are too small to do so. Few looks per
// pixel, turned differently in each pixel of a 4 x 4 block; draw_picture.frag takes the mean over such a block.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 6) uniform usampler2D draw_seen;
layout(set = 0, binding = 7) uniform sampler2D draw_depth;
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 11, scalar) readonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
#include "shared/draw_seen.glsl"
#include "shared/draw_grains.glsl"
#include "shared/draw_contact.glsl"

// x: what is seen (thing_of) << 8 | how open it is among grains, 0 .. 255. y: two half floats, the distance along the
// view, and how open it is among heaps. z: the normal (packed_normal).
layout(location = 0) out uvec4 open_seen;

// How much of the sky what is seen at this place takes from a point, looking out to `reach` [m] around it.
float closed(ivec2 at, vec3 point, vec3 normal, float reach, float least) {
  float there = max(texelFetch(draw_depth, at, 0).r, 1e-12);
  vec3 v = view_ray(draw_frame, (vec2(at) + 0.5) / vec2(textureSize(draw_depth, 0))) * (draw_frame.nearest / there) - point;
  float distance2 = dot(v, v);
  return max(dot(v, normal) - least, 0.0) / (distance2 + 0.01 * reach * reach) * max(1.0 - distance2 / (reach * reach), 0.0);
}

// The normal of the plane that fits best what is seen around a place. The depths in the image are nearest / z, which a
// plane has linear in the place, so that the fit is two sums over places that lie evenly around the middle one. What lies
// far before or behind, seen at a border, does not count.
vec3 normal_around(ivec2 middle, float depth, float radius, vec3 otherwise) {
  ivec2 size = textureSize(draw_depth, 0);
  float slack = 0.02 * depth + 8.0 * radius / draw_frame.nearest * depth * depth;  // of eight radii in z
  vec3 fit = vec3(0.0);                                                            // sums of depth, and by x and by y
  float weight = 0.0, square = 0.0;
  for (int ring = 1; ring <= 2; ++ring)
    for (int k = 0; k < 4; ++k) {
      // Opposite places come in pairs, and count together or not at all.
      float angle = 0.7853982 * (float(k) + 0.5 * float(ring));
      ivec2 to = ivec2(round(vec2(cos(angle), sin(angle)) * 5.0 * float(ring)));
      ivec2 a = middle + to, b = middle - to;
      if (any(lessThan(min(a, b), ivec2(0))) || any(greaterThanEqual(max(a, b), size)))
        continue;
      float at_a = texelFetch(draw_depth, a, 0).r, at_b = texelFetch(draw_depth, b, 0).r;
      if (abs(at_a - depth) > slack || abs(at_b - depth) > slack)
        continue;
      fit += vec3(at_a + at_b, vec2(to) * (at_a - at_b));
      weight += 2.0;
      square += 2.0 * dot(vec2(to), vec2(to)) * 0.5;
    }
  if (weight < 8.0)
    return otherwise;
  // nearest / z = a + b x + c y, with x and y as factors of right and up.
  vec2 slope = fit.yz / square * 0.5 * vec2(size) * vec2(1.0, -1.0);
  vec2 place = (vec2(middle) + 0.5) / vec2(size);
  vec3 ray = view_ray(draw_frame, place);
  vec2 at = vec2(dot(ray, draw_frame.right) / dot(draw_frame.right, draw_frame.right),
                 dot(ray, draw_frame.up) / dot(draw_frame.up, draw_frame.up));
  float start = fit.x / weight - dot(slope, at);
  return normalize(-start * draw_frame.forward - slope.x * draw_frame.right / dot(draw_frame.right, draw_frame.right) -
                   slope.y * draw_frame.up / dot(draw_frame.up, draw_frame.up));
}

void main() {
  ivec2 size = textureSize(draw_depth, 0);
  ivec2 corner = ivec2(gl_FragCoord.xy) * 2;
  vec2 place = vec2(corner) + 0.5;
  uint seen = texelFetch(draw_seen, corner, 0).r;
  float depth = texelFetch(draw_depth, corner, 0).r;
  vec3 ray = view_ray(draw_frame, place / vec2(size));
  vec3 normal = vec3(0.0, 0.0, 1.0);
  float z = seen != 0u ? draw_frame.nearest / depth : (draw_frame.floor - draw_frame.eye.z) / ray.z;
  if (is_body(seen)) {
    BodyHit hit = hit_body(seen, ray);
    z = hit.z;
    normal = hit.normal;
  }
  vec3 point = ray * z;
  if (is_slice(seen))
    normal = slice_normal();
  else if (is_contact(seen)) {
    Tube tube = tube_at(contact_of(seen), 1.0);
    normal = normalize(point - tube.from - dot(point - tube.from, tube.axis) * tube.axis);
  } else if (is_grain(seen)) {
    vec4 sphere = grain_at(seen - 1u).position;
    normal = normalize(point - (sphere.xyz - draw_frame.eye));
    if (sphere.w < smooth_from * draw_frame.sample_edge * z)
      normal = normal_around(corner, depth, sphere.w, normal);
  }

  // Crevices between grains, and hollows between heaps, in turns.
  bool fine = is_grain(seen) && is_fine(seen - 1u);
  vec2 radius = vec2(fine ? draw_frame.fine_radius : draw_frame.radius, draw_frame.heap);
  vec2 reach = vec2(3.0, 1.0) * radius, least = vec2(0.05, 0.02) * radius;
  vec2 spread = min(reach / (draw_frame.sample_edge * z), vec2(128.0, 256.0));  // samples
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float angle = 6.2831853 / 16.0 * float((cell.x * 4 + cell.y * 9 + (cell.y >> 1) * 2) & 15);
  vec2 way = vec2(cos(angle), sin(angle));
  const mat2 turn = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);  // golden angle
  vec2 sum = vec2(0.0);
  int looks = z <= 0.0 ? 0 : draw_light.quality == draw_draft ? 8 : 16;
  for (int i = 0; i < looks; ++i) {
    way = turn * way;
    int kind = i & 1;
    ivec2 at = clamp(ivec2(place + way * spread[kind] * sqrt((float(i) + 0.5) / float(looks))), ivec2(0), size - 1);
    sum[kind] += reach[kind] * closed(at, point, normal, reach[kind], least[kind]);
  }
  vec2 open = 1.0 / (1.0 + 14.0 * sum / float(max(looks, 1)));
  open_seen = uvec4((thing_of(seen) << 8) | uint(open.x * 255.0 + 0.5), packHalf2x16(vec2(min(z, 6e4), open.y)),
                    packSnorm2x16(packed_normal(normal)), 0u);
}
