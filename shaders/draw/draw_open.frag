// How open each pixel's surface is to the sky, against what is seen around it (after McGuire et al. 2011, Alchemy).
// Few looks per pixel, turned differently in each pixel of a 4 x 4 block; draw_picture.frag takes the mean over such a
// block.
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

layout(location = 0) out uint open_seen;  // 0 .. 255, and above it what is seen (thing_of)

const int looks = 8;

// How much of the sky what is seen at this place takes from a point, looking out to `reach` [m] around it.
float closed(ivec2 at, vec3 point, vec3 normal, float reach, float least) {
  float there = max(texelFetch(draw_depth, at, 0).r, 1e-12);
  vec3 v = view_ray(draw_frame, (vec2(at) + 0.5) / vec2(textureSize(draw_depth, 0))) * (draw_frame.nearest / there) - point;
  float distance2 = dot(v, v);
  return max(dot(v, normal) - least, 0.0) / (distance2 + 0.01 * reach * reach) * max(1.0 - distance2 / (reach * reach), 0.0);
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
  } else if (is_grain(seen))
    normal = normalize(point - (grain_at(seen - 1u).position.xyz - draw_frame.eye));

  // Crevices between large grains; and, on fine ones, every other look at those between fine ones.
  bool fine = is_grain(seen) && is_fine(seen - 1u);
  vec2 radius = vec2(draw_frame.radius, fine ? draw_frame.fine_radius : draw_frame.radius), reach = 3.0 * radius;
  vec2 spread = min(reach / (draw_frame.sample_edge * z), 128.0);  // samples
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float angle = 6.2831853 / 16.0 * float((cell.x * 4 + cell.y * 9 + (cell.y >> 1) * 2) & 15);
  vec2 way = vec2(cos(angle), sin(angle));
  const mat2 turn = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);  // golden angle
  float sum = 0.0;
  for (int i = 0; i < (z > 0.0 ? looks : 0); ++i) {
    way = turn * way;
    int kind = i & 1;
    ivec2 at = clamp(ivec2(place + way * spread[kind] * sqrt((float(i) + 0.5) / float(looks))), ivec2(0), size - 1);
    sum += reach[kind] * closed(at, point, normal, reach[kind], 0.05 * radius[kind]);
  }
  float open = 1.0 / (1.0 + 14.0 * sum / float(looks));
  open_seen = (thing_of(seen) << 8) | uint(open * 255.0 + 0.5);
}
