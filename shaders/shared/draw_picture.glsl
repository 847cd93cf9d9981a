// Light of the picture, linear: grains and bodies where the visibility image has them, else ground and sky. Each thing that a pixel
// shows is lit once and weighs by the samples that show it. `draft` is a constant of the shader that includes this: drivers without a GPU go
// through both sides of a branch, so that what drafts leave out has to be gone before they compile it.
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 6) uniform usampler2D draw_seen;
layout(set = 0, binding = 7) uniform usampler2D draw_open;
layout(set = 0, binding = 8) uniform sampler2D draw_shadow;
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 11, scalar) readonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
layout(set = 0, binding = 18, scalar) readonly buffer DistancesBlock { float draw_distances[]; };  // of the slice [m]

layout(location = 0) flat in vec3 shadow_origin;
layout(location = 1) flat in vec3 shadow_size;
layout(location = 2) flat in vec2 color_range;
layout(location = 3) flat in float greatest;
layout(location = 0) out vec4 radiance;  // a: share in the mean of the pictures so far

#include "shared/draw_seen.glsl"
#include "shared/draw_grains.glsl"
#include "shared/draw_orientation.glsl"
#include "shared/draw_contact.glsl"
#include "shared/draw_light.glsl"
#include "shared/draw_surface.glsl"

// How open to the sky what is seen is, among grains and among heaps, and the normal of the surface that small grains
// make: means of draw_open over 4 x 4 pixels, by what shows the same thing, else what is as far away.
struct Around {
  vec2 open;
  vec3 normal;
};
Around around(uint seen, float z, float slack) {
  vec2 pixel = floor(gl_FragCoord.xy), size = vec2(textureSize(draw_open, 0));
  vec3 normal = vec3(0.0);
  vec2 open = vec2(0.0), weights = vec2(0.0);
  for (int i = 0; i < 4; ++i) {
    vec2 corner = (pixel + vec2(2 * (i & 1), i & 2)) / size;
    uvec4 among_grains = textureGather(draw_open, corner, 0), among_heaps = textureGather(draw_open, corner, 1);
    uvec4 normals = draft ? uvec4(0u) : textureGather(draw_open, corner, 2);
    for (int k = 0; k < 4; ++k) {
      vec2 heap = unpackHalf2x16(among_heaps[k]);
      float near = max(1.0 - abs(heap.x - z) / slack, 0.0);
      vec2 weight = vec2(among_grains[k] >> 8 == thing_of(seen) ? 1.0 : 0.02 * near, near + 1e-4);
      open += weight * vec2(float(among_grains[k] & 0xFFu) / 255.0, heap.y);
      weights += weight;
      if (!draft)
        normal += near * unpacked_normal(unpackSnorm2x16(normals[k]));
    }
  }
  return Around(weights.x > 0.0 ? open / weights : vec2(0.6, 1.0), normal);
}

// A ray meets this point of a surface; where z = 0, it meets nothing.
struct Hit {
  float z;  // along the view
  Surface surface;
};

Hit hit_grain(uint grain, vec3 ray) {
  Ball ball = ball_from_eye(grain);
  float size = length(ray), t = 0.0;
  vec3 normal = -ray / size;
  vec4 turn = orientation_of(grain);
  // At its outline a ray through the middle of a pixel may miss what its samples hit.
  if (!hit_ball(ball, turn, -ball.centre, ray / size, t, normal))
    t = dot(ball.centre, ray) / size;
  float pixel = 2.0 * draw_frame.sample_edge * length(ball.centre) / ball.radius;  // radii
  return Hit(max(t / size, 0.0), surface_of_grain(grain, ball, turn, normal, ray / size * t - ball.centre, pixel));
}

Hit hit_contact(uint contact, vec3 ray) {
  Tube tube = tube_at(contact, greatest);
  float t;
  vec3 normal;
  if (!hit_tube(tube, normalize(ray), t, normal))  // at its outline, as with grains
    t = length(tube.from + clamp(dot(-tube.from, tube.axis), 0.0, tube.span) * tube.axis);
  vec3 color = draw_frame.lines == draw_lines_by_force ? color_scale(sqrt(tube.share)) : vec3(0.05);
  Surface surface = surface_as(finish_plain, color, normal);
  surface.neutral = true;
  return Hit(max(t / length(ray), 0.0), surface);
}

// Signed distance at a place of the slice, -1 .. 1 [m].
float distance_at(vec2 place) {
  vec2 at = clamp(0.5 + 0.5 * place, 0.0, 1.0) * float(draw_frame.slice_nodes - 1u);
  uvec2 node = min(uvec2(at), uvec2(draw_frame.slice_nodes - 2u));
  uint k = node.y * draw_frame.slice_nodes + node.x;
  vec2 part = at - vec2(node);
  vec2 low_high = mix(vec2(draw_distances[k], draw_distances[k + draw_frame.slice_nodes]),
                      vec2(draw_distances[k + 1u], draw_distances[k + draw_frame.slice_nodes + 1u]), part.x);
  return mix(low_high.x, low_high.y, part.y);
}

// Blue inside, yellow outside, bands a step wide, and a black line where the surface is.
vec3 slice_color(vec2 place, float pixel) {
  float distance = distance_at(place), band = distance / draw_frame.slice_step;
  vec3 color = distance < 0.0 ? from_oklab(0.60, 0.11, 4.5) : from_oklab(0.86, 0.11, 1.6);
  color *= (int(floor(abs(band))) & 1) == 0 ? 1.0 : 0.72;
  return abs(distance) < 1.5 * pixel ? vec3(0.0) : color;
}

// The slice has its own light: it is a drawing, not a thing.
vec3 look_at_slice(vec3 ray) {
  vec3 normal = slice_normal(), middle = slice_point(vec2(0.0)) - draw_frame.eye;
  float z = dot(middle, normal) / dot(ray, normal);
  vec3 x = slice_point(vec2(1.0, 0.0)) - draw_frame.eye - middle, y = slice_point(vec2(0.0, 1.0)) - draw_frame.eye - middle;
  vec3 from = ray * z - middle;
  return slice_color(vec2(dot(from, x) / dot(x, x), dot(from, y) / dot(y, y)), 2.0 * draw_frame.sample_edge * z);
}

vec3 look(uint seen, vec2 sample_place) {
  vec3 ray = view_ray(draw_frame, sample_place / vec2(textureSize(draw_seen, 0)));
  if (is_slice(seen))
    return look_at_slice(ray);
  Hit hit;
  hit.z = 0.0;
  if (is_body(seen)) {
    BodyHit body = hit_body(seen, ray);
    hit = Hit(body.z, surface_of_body(body_of(seen), ray * body.z, body.normal));
  } else if (is_contact(seen))
    hit = hit_contact(contact_of(seen), ray);
  else if (seen != 0u)
    hit = hit_grain(seen - 1u, ray);
  float ground_z = 0.0;
  if (draw_frame.ground != 0u && ray.z < 0.0)
    ground_z = max((draw_frame.floor - draw_frame.eye.z) / ray.z, 0.0);
  // Behind all, the sky; the ground is lost in its haze.
  bool nothing = hit.z <= 0.0 && ground_z <= 0.0;
  vec3 behind = sky(normalize(nothing ? ray : vec3(ray.xy, 0.0)));
  if (nothing)
    return behind;

  // What lies on the ground hides it.
  bool on_ground = hit.z <= 0.0 || (ground_z > 0.0 && ground_z * 1.00001 < hit.z);
  if (on_ground)
    hit = Hit(ground_z, surface_of_ground(ray, ground_z));
  vec3 from_eye = ray * hit.z;
  Around near = around(on_ground ? 0u : seen, hit.z, draw_frame.heap);
  if (!draft && is_grain(seen) && !on_ground)
    hit.surface.normal = smoothed(hit.surface, near.normal, 2.0 * draw_frame.sample_edge * hit.z);
  vec3 color = shade(hit.surface, from_eye, near.open);
  float away = length(draw_frame.eye + from_eye - draw_frame.middle) / draw_frame.reach;
  return on_ground ? mix(color, behind, 1.0 - exp(-away * away)) : color;
}

void main() {
  vec2 corner = floor(gl_FragCoord.xy) * 2.0;
  uvec4 seen = textureGather(draw_seen, (corner + 1.0) / vec2(textureSize(draw_seen, 0))).wzxy;
  vec3 sum = vec3(0.0);
  for (uint left = 15u; left != 0u;) {  // samples not looked at yet, by bit
    int i = findLSB(left);
    uvec4 same = uvec4(equal(seen, uvec4(seen[i])));
    left &= ~(same.x | same.y << 1 | same.z << 2 | same.w << 3);
    uint weight = same.x + same.y + same.z + same.w;
    // What fills the pixel is looked at in its middle, what does not, where it is seen.
    vec2 place = corner + (weight == 4u ? vec2(1.0) : vec2(i & 1, i >> 1) + 0.5);
    sum += float(weight) * look(seen[i], place);
  }
  radiance = vec4(sum / 4.0, draw_light.share);
}
