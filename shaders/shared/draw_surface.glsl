// What grains, bodies and the ground are made of. Needs `draw_bodies` and what draw_light.glsl and draw_orientation.glsl need.
#include "shared/finish.h"

uint world_at(uint i) { return is_fine(i) ? 0u : grain_tag[i] >> draw_world_shift; }

float part_of(uint bits) { return float(bits & 0xFFu) / 255.0; }

// Noise by the values at the corners of cubes, -1 .. 1.
float noise_at(vec3 p) {
  ivec3 cell = ivec3(floor(p));
  vec3 part = p - vec3(cell), t = part * part * (3.0 - 2.0 * part);
  float corners[8];
  for (int k = 0; k < 8; ++k) {
    uvec3 at = uvec3(cell + ivec3(k & 1, k >> 1 & 1, k >> 2));
    corners[k] = float(mixed(at.x + mixed(at.y + mixed(at.z))) >> 8) / 8388608.0 - 1.0;
  }
  vec4 x = mix(vec4(corners[0], corners[2], corners[4], corners[6]), vec4(corners[1], corners[3], corners[5], corners[7]), t.x);
  vec2 y = mix(x.xz, x.yw, t.y);
  return mix(y.x, y.y, t.z);
}
// Several octaves, less those that a pixel averages. pixel: of the unit of the first.
float noise_over(vec3 p, float pixel, int octaves) {
  float sum = 0.0, scale = 1.0;
  for (int k = 0; k < octaves && pixel * scale < 1.0; ++k, scale *= 3.1)
    sum += (1.0 - smoothstep(0.3, 1.0, pixel * scale)) * noise_at(p * scale + 17.0 * float(k)) / float(k + 1);
  return sum;
}

Surface surface_as(uint finish, vec3 color, vec3 normal) {
  return Surface(color, normal, roughness_of(finish), mineral_reflectance, translucency_of(finish), 0.0, finish == finish_metal, false);
}

// A grain that has the colour of a number is matt; a mixture's has that of its mineral. share: of what tells it from the mean.
vec3 grain_color(uint grain, uint finish, float share) {
  if (has_scale(draw_frame.color_by))
    return color_scale(place_on_scale(draw_frame.color_by, color_range, drawn_grains[grain].value));
  if (draw_frame.color_by == draw_by_palette)
    return color_apart(material_at(grain));
  if (draw_frame.color_by == draw_by_world)
    return color_apart(world_at(grain));
  vec3 color = draw_materials[material_at(grain)].color;
  if (draw_frame.tinted == 0u)
    return color;
  uint hash = mixed(number_at(grain) * 0x9E3779B1u + 1u);
  float shade = part_of(hash >> 24) - 0.5, warmth = part_of(hash >> 16) - 0.5;
  if (!is_mixture(finish))
    return color * (1.0 + share * 0.2 * shade);
  vec3 own = mineral_color(color, mineral_at(finish, float(hash & 0xFFFFu) / 65536.0));
  own *= (1.0 + 0.36 * shade) * (1.0 + 0.14 * warmth * vec3(1.0, 0.0, -1.0));
  return mix(color, own, share);
}

// from_centre: of the point on it. pixel: radii that one is wide there.
Surface surface_of_grain(uint grain, Ball ball, vec4 turn, vec3 normal, vec3 from_centre, float pixel) {
  bool own_color = draw_frame.color_by == draw_by_material;
  DrawMaterial material = draw_materials[material_at(grain)];
  uint finish = own_color ? material.finish : finish_plain;
  // Of n grains within a pixel, the mean differs by one part in the root of n.
  Surface s = surface_as(finish, grain_color(grain, finish, min(1.5 / pixel, 1.0)), normal);
  s.depth = ball.radius;
  s.neutral = !own_color;
  if (!draft && own_color && is_mixture(finish)) {
    vec3 on_grain = turned(reversed(turn), from_centre / ball.radius);
    float seed = float(number_at(grain) & 0xFFFFu);
    if (material.cut != 0u) {
      // Edges are worn, faces rough; both turn with the grain.
      vec3 rough = vec3(noise_over(3.0 * on_grain + seed, 3.0 * pixel, 3), noise_over(3.0 * on_grain + seed + 40.5, 3.0 * pixel, 3),
                        noise_over(3.0 * on_grain + seed + 80.5, 3.0 * pixel, 3));
      s.normal = normalize(mix(s.normal, from_centre / ball.radius, 0.35) + 0.15 * turned(turn, rough));
      s.color *= mix(0.84, 1.12, smoothstep(-0.15, 0.15, noise_over(1.4 * on_grain + seed + 121.5, 1.4 * pixel, 2)));
    }
  }
  if (own_color && material.wetness > 0.0) {
    s.color = wet_color(s.color, material.wetness);
    s.roughness = mix(s.roughness, 0.3, material.wetness);
    s.reflectance = mix(s.reflectance, water_reflectance, material.wetness);
  }
  // Normals that differ within a pixel widen a highlight (Tokuyoshi and Kaplanyan 2019).
  float a = s.roughness * s.roughness;
  s.roughness = sqrt(sqrt(min(a * a + 0.25 * pixel * pixel, 1.0)));
  return s;
}

// The normal of a grain that is so small that it has no side of its own, that of the surface which the grains make.
vec3 smoothed(Surface s, vec3 around, float pixel) {
  float share = 0.7 - 0.7 * smoothstep(0.25 * smooth_from, 0.5 * smooth_from, s.depth / pixel);
  return dot(around, around) > 0.0 ? normalize(mix(s.normal, normalize(around), share)) : s.normal;
}

// Gives the surface of a body at a point from the eye. Wear of metal is fixed in the frame of the body.
Surface surface_of_body(uint body, vec3 from_eye, vec3 normal) {
  uint finish = draw_bodies[body].finish;
  Surface s = surface_as(finish, draw_bodies[body].color, normal);
  if (!draft && (finish == finish_metal || finish == finish_paint)) {
    vec3 size = max(draw_bodies[body].high - draw_bodies[body].low, vec3(0.0));
    float edge = min(max(size.x, max(size.y, size.z)), draw_frame.reach);
    vec3 at = turned(reversed(rotation_of(body)), draw_frame.eye + from_eye - in_world(body, vec3(0.0)));
    float worn = noise_over(at * 12.0 / edge, 24.0 * draw_frame.sample_edge * dot(from_eye, draw_frame.forward) / edge, 4);
    s.roughness = clamp(s.roughness * (1.0 + 0.25 * worn), 0.05, 1.0);
    s.color *= 1.0 + (finish == finish_metal ? 0.10 : 0.04) * worn;
  }
  return s;
}

const vec3 ground_color = vec3(0.40, 0.395, 0.38);  // concrete, which reflects a third to a half
const vec3 line_color = vec3(0.12, 0.12, 0.125);

// 0 .. 1: how much of a line `width` pixels wide a pixel covers.
float line_cover(float coordinate, float spacing, float pixel, float width) {
  float away = abs(coordinate - spacing * round(coordinate / spacing)) / pixel;
  return clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * smoothstep(4.0, 16.0, spacing / pixel);
}

// Concrete, with joints that make a grid.
Surface surface_of_ground(vec3 ray, float z) {
  vec3 point = draw_frame.eye + ray * z;
  // How far the point moves from one pixel to the next, in x and in y.
  vec2 pixels = vec2(textureSize(draw_open, 0));
  vec3 dx = draw_frame.right * 2.0 / pixels.x, dy = draw_frame.up * 2.0 / pixels.y;
  vec2 step_x = z * (dx.xy - ray.xy * dx.z / ray.z), step_y = z * (dy.xy - ray.xy * dy.z / ray.z);
  vec2 pixel = sqrt(step_x * step_x + step_y * step_y);
  float grid = draw_frame.grid;
  float fine = max(line_cover(point.x, grid, pixel.x, 1.0), line_cover(point.y, grid, pixel.y, 1.0));
  float strong = max(line_cover(point.x, 5.0 * grid, pixel.x, 1.5), line_cover(point.y, 5.0 * grid, pixel.y, 1.5));
  float mottled = draft ? 0.0 : noise_over(vec3(point.xy / grid, 0.5), max(pixel.x, pixel.y) / grid, 5);
  vec3 color = ground_color * (1.0 + 0.07 * mottled);
  if (draw_light.quality != draw_film)
    color = mix(color, line_color, max(0.22 * fine, 0.4 * strong));
  return surface_as(finish_plain, color, vec3(0.0, 0.0, 1.0));
}
