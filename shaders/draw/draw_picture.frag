// Colours of the picture: grains and bodies where the visibility image has them, else ground and sky. Each thing that a pixel
// shows is lit once and weighs by the samples that show it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) readonly buffer ColorsBlock { vec4 draw_colors[]; };  // of the materials
layout(set = 0, binding = 6) uniform usampler2D draw_seen;
layout(set = 0, binding = 7) uniform usampler2D draw_open;
layout(set = 0, binding = 8) uniform sampler2D draw_shadow;
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 11, scalar) readonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
layout(set = 0, binding = 16, scalar) readonly buffer DrawnBlock { DrawnGrain drawn_grains[]; };
layout(set = 0, binding = 18, scalar) readonly buffer DistancesBlock { float draw_distances[]; };  // of the slice [m]
#include "shared/draw_seen.glsl"
#include "shared/draw_grains.glsl"
#include "shared/draw_turn.glsl"
#include "shared/draw_contact.glsl"

layout(location = 0) flat in vec3 shadow_origin;
layout(location = 1) flat in vec3 shadow_size;
layout(location = 2) flat in vec2 color_range;
layout(location = 3) flat in float greatest;
layout(location = 0) out vec4 picture;

const vec3 sun = vec3(1.40, 1.30, 1.15);
const vec3 sky_light = vec3(0.38, 0.38, 0.40);     // onto what faces up
const vec3 ground_light = vec3(0.19, 0.175, 0.16);  // onto what faces down
const vec3 horizon = vec3(0.90, 0.92, 0.94);
const vec3 zenith = vec3(0.42, 0.57, 0.78);
const vec3 ground_color = vec3(0.54, 0.555, 0.575);
const vec3 line_color = vec3(0.30, 0.31, 0.34);

// Part of the light that reaches the point of the shadow box: 5 x 5 texels with smooth borders, four per gather.
float lit(vec3 at, bool in_box) {
  vec2 place = at.xy * float(draw_shadow_size) - 0.5;
  vec2 corner = floor(place);
  vec2 part = place - corner;
  float sum = in_box ? 0.0 : 25.0;
  for (int y = -2; y <= (in_box ? 2 : -3); y += 2)
    for (int x = -2; x <= 2; x += 2) {
      vec4 depth = textureGather(draw_shadow, (corner + vec2(x, y) + 1.0) / float(draw_shadow_size));
      vec4 light = step(depth, vec4(max(at.z, 0.0)));  // (0, 1), (1, 1), (1, 0), (0, 0)
      // Weights of a box five texels wide that slides with the point.
      vec2 low = vec2(x == -2 ? 1.0 - part.x : 1.0, y == -2 ? 1.0 - part.y : 1.0);
      vec2 high = vec2(x == 2 ? part.x : 1.0, y == 2 ? part.y : 1.0);
      sum += low.y * (light.w * low.x + light.z * high.x) + high.y * (light.x * low.x + light.y * high.x);
    }
  return sum / 25.0;
}

// Part of the ambient light that what is nearby leaves: the mean of draw_open over those of 4 x 4 pixels that show the
// same thing.
float open_sky(uint seen, vec2 pixel) {
  vec2 size = vec2(textureSize(draw_open, 0));
  uvec2 sum = uvec2(0u);  // and count
  for (int i = 0; i < 4; ++i) {
    uvec4 open = textureGather(draw_open, (pixel + vec2(2 * (i & 1), i & 2)) / size);
    uvec4 same = uvec4(equal(open >> 8, uvec4(thing_of(seen))));
    open &= 0xFFu * same;
    sum += uvec2(open.x + open.y + open.z + open.w, same.x + same.y + same.z + same.w);
  }
  return sum.y > 0u ? float(sum.x) / (255.0 * float(sum.y)) : 0.6;  // too small to tell
}

// Light that a matt surface of this colour sends back.
vec3 lighting(vec3 color, vec3 from_eye, vec3 normal, float open) {
  // In the shadow map, off the surface by what a texel can misjudge it.
  float texel = shadow_size.x / float(draw_shadow_size);
  vec3 point = draw_frame.eye + from_eye + 2.0 * texel * normal;
  vec3 at = along_light(draw_frame, point) + vec3(0.0, 0.0, 1.5 * texel);
  at = (at - shadow_origin) / max(shadow_size, vec3(1e-9));
  float facing = max(dot(normal, draw_frame.light), 0.0);
  bool in_box = facing > 0.0 && shadow_size.x > 0.0 && all(lessThan(abs(at.xy - 0.5), vec2(0.5)));
  // What crevices keep from the sky comes back in part from their sides: open + open (1 - open) color + ..
  vec3 ambient = mix(ground_light, sky_light, 0.5 + 0.5 * normal.z) * open / (1.0 - 0.7 * color * (1.0 - open));
  return color * (ambient + sun * facing * lit(at, in_box));
}

// Of what sand is made of: a few grains are dark ores, some pale quartz, most more or less stained; the mean is the material's colour.
vec3 mineral(vec3 color, uint kind, float shade, float warmth) {
  const uint dark = 10u, pale = 36u;  // of 256
  vec3 grey = vec3(dot(color, vec3(0.2126, 0.7152, 0.0722)));
  if (kind < dark)
    return 0.4 * mix(color, grey, 0.5);
  if (kind < dark + pale)
    return (1.25 + 0.4 * shade) * mix(color, grey, 0.3);
  return color * (0.985 + 0.5 * shade) * (1.0 + 0.22 * warmth * vec3(1.0, 0.0, -1.0));
}

uint material_at(uint i) { return (is_fine(i) ? fine_tag[i - draw_frame.coarse] : grain_tag[i]) & tag_material_mask; }
uint world_at(uint i) { return is_fine(i) ? 0u : grain_tag[i] >> draw_world_shift; }

vec3 grain_color(uint grain) {
  if (has_scale(draw_frame.color_by))
    return color_scale(place_on_scale(draw_frame.color_by, color_range, drawn_grains[grain].value));
  if (draw_frame.color_by == draw_by_palette)
    return color_apart(material_at(grain));
  if (draw_frame.color_by == draw_by_world)
    return color_apart(world_at(grain));
  vec3 color = draw_colors[material_at(grain)].rgb;
  if (draw_frame.tinted == 0u)
    return color;
  uint hash = number_at(grain) * 0x9E3779B1u;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
  float shade = float(hash >> 24) / 255.0 - 0.5, warmth = float((hash >> 16) & 0xFFu) / 255.0 - 0.5;
  if (is_fine(grain) && draw_frame.round_fine == 0u)
    return mineral(color, hash & 0xFFu, shade, warmth);
  return color * (1.0 + 0.36 * shade) * (1.0 + 0.09 * warmth * vec3(1.0, 0.0, -1.0));
}

vec3 sky(vec3 direction) { return mix(horizon, zenith, smoothstep(-0.5, 0.8, direction.z)); }

// 0 .. 1: how much of a line `width` pixels wide a pixel covers.
float line_cover(float coordinate, float spacing, float pixel, float width) {
  float away = abs(coordinate - spacing * round(coordinate / spacing)) / pixel;
  return clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * smoothstep(4.0, 16.0, spacing / pixel);
}

// The ground's own colour at a point on the ray: a grid of thin lines.
vec3 ground(vec3 ray, float z) {
  vec3 point = draw_frame.eye + ray * z;
  // How far the point moves from one pixel to the next, in x and in y.
  vec2 pixels = vec2(textureSize(draw_open, 0));
  vec3 dx = draw_frame.right * 2.0 / pixels.x, dy = draw_frame.up * 2.0 / pixels.y;
  vec2 step_x = z * (dx.xy - ray.xy * dx.z / ray.z), step_y = z * (dy.xy - ray.xy * dy.z / ray.z);
  vec2 pixel = sqrt(step_x * step_x + step_y * step_y);
  float grid = draw_frame.grid;
  float fine = max(line_cover(point.x, grid, pixel.x, 1.0), line_cover(point.y, grid, pixel.y, 1.0));
  float strong = max(line_cover(point.x, 5.0 * grid, pixel.x, 1.5), line_cover(point.y, 5.0 * grid, pixel.y, 1.5));
  return mix(ground_color, line_color, max(0.35 * fine, 0.6 * strong));
}

// What a ray meets: nothing at z = 0.
struct Hit {
  float z;  // along the view
  vec3 normal;
  vec3 color;
};

// The faces of a dodecahedron come in pairs: their middles are at these axes, and opposite to them.
const vec3 face_axes[6] = vec3[](vec3(0.0, 0.525731, 0.850651), vec3(0.0, -0.525731, 0.850651), vec3(0.525731, 0.850651, 0.0),
                                 vec3(-0.525731, 0.850651, 0.0), vec3(0.850651, 0.0, 0.525731), vec3(0.850651, 0.0, -0.525731));
const float facet_share = 0.4;    // of the face in the normal, the rest is the ball's
const float spot_edge = 0.955;    // cosine of the angle of 17 degrees that a spot reaches to from the middle of its face
const uint dark_faces = 0x336u;   // bits of the faces whose spots are dark: of the 60 turns of the dodecahedron, each looks different
const vec2 mark_pixels = vec2(0.12, 0.4);  // of a pixel, in radii: from there on marks fade, and are gone

// Facets and spots that are fixed to a grain show how it turns. pixel: edge of what a pixel shows there, in radii.
Hit with_marks(Hit hit, uint grain, float pixel) {
  float strength = 1.0 - smoothstep(mark_pixels.x, mark_pixels.y, pixel);
  if (strength == 0.0)
    return hit;
  vec4 orientation = is_fine(grain) ? orientation_at_start(number_at(grain)) : drawn_grains[grain].orientation;
  vec3 own = turned(vec4(-orientation.xyz, orientation.w), hit.normal), face = own;
  float most = 0.0;
  uint number = 0u;
  for (uint k = 0u; k < 6u; ++k) {
    float along = dot(face_axes[k], own);
    if (abs(along) > most) {
      most = abs(along);
      face = along < 0.0 ? -face_axes[k] : face_axes[k];
      number = 2u * k + uint(along < 0.0);
    }
  }
  float blur = 0.3 * pixel;  // sine of the spot's angle
  float spot = strength * smoothstep(spot_edge - blur, spot_edge + blur, most);
  bool dark = ((dark_faces >> number) & 1u) != 0u;
  hit.color *= mix(1.0, dark ? 0.45 : has_scale(draw_frame.color_by) ? 1.0 : 1.35, spot);
  hit.normal = normalize(mix(hit.normal, turned(orientation, face), strength * facet_share));
  return hit;
}

Hit hit_grain(uint grain, vec3 ray) {
  Ball ball = ball_from_eye(grain);
  float size = length(ray), t = 0.0;
  vec3 normal = -ray / size;
  // At its outline a ray through the middle of a pixel may miss what its samples hit.
  if (!hit_ball(ball, -ball.centre, ray / size, t, normal))
    t = dot(ball.centre, ray) / size;
  Hit hit = Hit(max(t / size, 0.0), normal, grain_color(grain));
  if (draw_frame.marked == 0u || (is_fine(grain) && draw_frame.round_fine == 0u))
    return hit;
  return with_marks(hit, grain, 2.0 * draw_frame.sample_edge * length(ball.centre) / ball.radius);
}

Hit hit_contact(uint contact, vec3 ray) {
  Tube tube = tube_at(contact, greatest);
  float t;
  vec3 normal;
  if (!hit_tube(tube, normalize(ray), t, normal))  // at its outline, as with grains
    t = length(tube.from + clamp(dot(-tube.from, tube.axis), 0.0, tube.span) * tube.axis);
  vec3 color = draw_frame.lines == draw_lines_by_force ? color_scale(sqrt(tube.share)) : vec3(0.05);
  return Hit(max(t / length(ray), 0.0), normal, color);
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
  Hit hit = Hit(0.0, vec3(0.0), vec3(0.0));
  if (is_body(seen)) {
    BodyHit body = hit_body(seen, ray);
    hit = Hit(body.z, body.normal, draw_bodies[body_of(seen)].color);
  } else if (is_contact(seen))
    hit = hit_contact(contact_of(seen), ray);
  else if (seen != 0u)
    hit = hit_grain(seen - 1u, ray);
  float ground_z = 0.0;
  if (draw_frame.ground != 0u && ray.z < 0.0)
    ground_z = max((draw_frame.floor - draw_frame.eye.z) / ray.z, 0.0);
  if (hit.z <= 0.0 && ground_z <= 0.0)
    return sky(normalize(ray));

  // What lies on the ground hides it.
  bool on_ground = hit.z <= 0.0 || (ground_z > 0.0 && ground_z * 1.00001 < hit.z);
  if (on_ground)
    hit = Hit(ground_z, vec3(0.0, 0.0, 1.0), ground(ray, ground_z));
  vec3 from_eye = ray * hit.z;
  float open = open_sky(on_ground ? 0u : seen, floor(gl_FragCoord.xy));
  vec3 color = lighting(hit.color, from_eye, hit.normal, open);
  if (!on_ground)
    return color;
  float away = length(draw_frame.eye + from_eye - draw_frame.middle) / draw_frame.reach;
  return mix(color, sky(vec3(0.0)), 1.0 - exp(-away * away));
}

// Khronos PBR neutral without its toe, which makes up for reflections that matt grains do not have: colours stay what
// they are, highlights are compressed softly.
vec3 tone_map(vec3 color) {
  const float start = 0.76, room = 1.0 - start, desaturation = 0.15;
  float peak = max(color.r, max(color.g, color.b));
  if (peak < start)
    return color;
  float compressed = 1.0 - room * room / (peak + room - start);
  color *= compressed / peak;
  return mix(vec3(compressed), color, 1.0 / (desaturation * (peak - compressed) + 1.0));
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
    sum += float(weight) * tone_map(look(seen[i], place));
  }
  // To sRGB by hand: half a step of noise hides the bands of the sky.
  vec3 linear = clamp(sum / 4.0, 0.0, 1.0);
  vec3 encoded = mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThan(linear, vec3(0.0031308)));
  float noise = fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715))));
  picture = vec4(encoded + (noise - 0.5) / 255.0, 1.0);
}
