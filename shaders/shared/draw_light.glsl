// How light falls on surfaces and what they send back. Needs `draw_frame`, `draw_light`, `draw_shadow`, and the shadow box
// as `shadow_origin` and `shadow_size`, in scope, and the constant `draft`.
#include "shared/sky.h"

// Radiance of the sky, or below the horizon that of the ground.
vec3 sky(vec3 way) {
  if (draw_light.even != 0u)
    return vec3(1.0);
  return draw_light.exposure * sky_radiance(way, draw_light.sun, draw_light.sky);
}
vec3 surroundings(vec3 way) { return mix(draw_light.ground, sky(way), smoothstep(-0.05, 0.05, way.z)); }

// Irradiance over pi of all but the lamp, by the normal (Ramamoorthi and Hanrahan 2001).
vec3 ambient(vec3 n) {
  vec3 sum = draw_light.ambient[0] + draw_light.ambient[1] * n.y + draw_light.ambient[2] * n.z + draw_light.ambient[3] * n.x;
  sum += draw_light.ambient[4] * n.x * n.y + draw_light.ambient[5] * n.y * n.z;
  sum += draw_light.ambient[6] * (3.0 * n.z * n.z - 1.0) + draw_light.ambient[7] * n.x * n.z;
  return max(sum + draw_light.ambient[8] * (n.x * n.x - n.y * n.y), vec3(0.0));
}

// Part of the lamp's light that reaches the point `at` of the shadow box, as the mean over a square of texels `width` wide that
// slides with the point, four texels per gather.
const float narrowest = 4.0, widest = 13.0;  // texels: below, steps show; above, what a square costs
float lit_over(vec3 at, float width) {
  vec2 place = at.xy * draw_frame.shadow_texels - 0.5;
  vec2 corner = floor(place), part = place - corner;
  int reach = int(ceil(0.5 * width + 0.5)) & ~1;  // of the square's outermost gathers, which begin at even texels
  float sum = 0.0;
  for (int y = -reach; y <= reach; y += 2)
    for (int x = -reach; x <= reach; x += 2) {
      vec4 depth = textureGather(draw_shadow, (corner + vec2(x, y) + 1.0) / draw_frame.shadow_texels);
      vec4 light = step(depth, vec4(max(at.z, 0.0)));  // (0, 1), (1, 1), (1, 0), (0, 0)
      // How much of a texel lies in the square.
      vec2 low = clamp(0.5 * width + 0.5 - abs(vec2(x, y) - part), 0.0, 1.0);
      vec2 high = clamp(0.5 * width + 0.5 - abs(vec2(x, y) + 1.0 - part), 0.0, 1.0);
      sum += low.y * (light.w * low.x + light.z * high.x) + high.y * (light.x * low.x + light.y * high.x);
    }
  return sum / (width * width);
}

// Width [texels] of the border of the shadow there: the lamp's disc, seen from the mean distance of what shades it (Fernando 2005, Percentage-closer soft
// shadows). Zero where nothing does.
float border(vec3 at) {
  float texel = shadow_size.x / draw_frame.shadow_texels, sum = 0.0, count = 0.0;
  vec2 corner = floor(at.xy * draw_frame.shadow_texels - 0.5);
  for (int y = -6; y <= 6; y += 4)
    for (int x = -6; x <= 6; x += 4) {
      vec4 depth = textureGather(draw_shadow, (corner + vec2(x, y) + 1.0) / draw_frame.shadow_texels);
      vec4 above = max(depth - at.z, 0.0), shades = vec4(greaterThan(above, vec4(0.0)));
      sum += dot(above, shades);
      count += dot(shades, vec4(1.0));
    }
  return count > 0.0 ? 2.0 * draw_light.disc * shadow_size.z * sum / count / texel : 0.0;
}

// Part of the lamp's light that reaches a point of a surface, from the eye.
float lit(vec3 from_eye, vec3 normal) {
  // In the shadow map, off the surface by what a texel can misjudge it.
  float texel = shadow_size.x / draw_frame.shadow_texels;
  vec3 point = draw_frame.eye + from_eye + 2.0 * texel * normal;
  vec3 at = along_light(draw_frame, point) + vec3(0.0, 0.0, 1.5 * texel);
  at = (at - shadow_origin) / max(shadow_size, vec3(1e-9));
  if (!(shadow_size.x > 0.0) || any(greaterThan(abs(at.xy - 0.5), vec2(0.5))))
    return 1.0;
  if (draft)
    return lit_over(at, narrowest);
  return lit_over(at, draw_light.quality == draw_film ? narrowest : clamp(border(at), narrowest, widest));
}

// What light meets at a point that is seen.
struct Surface {
  vec3 color;
  vec3 normal;
  float roughness;
  float reflectance;   // at normal incidence; of metal, its colour is
  float translucency;
  float depth;         // m, of what light goes through: a grain's radius
  bool metal;
  bool neutral;        // its colour stands for a number: it is lit by light without a colour of its own
};

// Share of light that a surface mirrors, of light from all directions: the factor of its reflectance, and what comes to it
// (Karis 2014, Physically based shading on mobile).
vec2 mirrored(float roughness, float facing) {
  vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
  float a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
  return vec2(-1.04, 1.04) * a + r.zw;
}

// A highlight: what a surface mirrors of the lamp, of the light on one that faces the lamp. GGX (Walter et al. 2007) with the masking of
// E. Hammon (2017, PBR diffuse lighting for GGX+Smith) and Schlick's Fresnel factor (1994). The lamp's light is irradiance over pi, which
// cancels the pi of GGX.
vec3 highlight(vec3 f0, float roughness, vec3 normal, vec3 to_eye, float cosine, float facing) {
  vec3 middle = normalize(to_eye + draw_frame.light);
  float a = roughness * roughness, nh = dot(normal, middle), f = nh * nh * (a * a - 1.0) + 1.0;
  float masking = 0.5 / mix(2.0 * cosine * facing, cosine + facing, a);
  vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(to_eye, middle), 0.0), 5.0);
  return a * a / (f * f) * masking * cosine * fresnel;
}

// Share of the light that hollows keep away which comes back from their sides, by comparison with Cycles (bench/peers/path_traced.py): the mean light of
// a heap of sand is then right within 3 % in good pictures, and within 6 % in films, whose sky light is found by shadows and not lessened by what is
// closed, so that less comes back.
float bounced() { return draw_light.quality == draw_film ? 0.6 : 1.0; }

vec3 for_surface(vec3 light, Surface s) { return s.neutral ? vec3(dot(light, vec3(0.2126, 0.7152, 0.0722))) : light; }

// Light towards the eye. open: part of the sky that is seen, among grains and among heaps.
vec3 shade(Surface s, vec3 from_eye, vec2 open) {
  vec3 to_eye = -normalize(from_eye);
  float facing = max(dot(s.normal, to_eye), 1e-3), cosine = dot(s.normal, draw_frame.light);
  vec3 f0 = s.metal ? s.color : vec3(s.reflectance);
  vec2 mirror = mirrored(s.roughness, facing);
  vec3 gloss = s.neutral ? vec3(0.0) : f0 * mirror.x + mirror.y;
  vec3 color = s.metal ? vec3(0.0) : s.color * (1.0 - gloss);
  float seen_sky = open.x * open.y;

  // Light that goes through a grain wraps around the terminator. In the shadow map it counts where it has entered.
  float wrap = s.translucency, direct = max(cosine + wrap, 0.0) / ((1.0 + wrap) * (1.0 + wrap)), visible = 0.0;
  if (direct > 0.0) {
    float through = 2.0 * s.depth * max(-cosine, 0.0);
    visible = lit(from_eye + through * draw_frame.light, cosine < 0.0 ? reflect(s.normal, draw_frame.light) : s.normal);
  }
  // What hollows keep from the sky comes back in part from their sides: open + open (1 - open) color + ..
  vec3 light = for_surface(draw_light.lamp * direct * visible + ambient(s.normal) * seen_sky, s);
  vec3 sum = color * light / (1.0 - bounced() * color * (1.0 - seen_sky));

  if (s.neutral)
    return sum;
  vec3 way = reflect(-to_eye, s.normal), around = ambient(way);
  if (!draft && s.roughness < 0.5)
    around = mix(surroundings(way), around, smoothstep(0.1, 0.5, s.roughness));
  // Hollows hide less of a narrow reflection (Lagarde and de Rousiers 2014, Moving Frostbite to PBR).
  float clear = clamp(pow(facing + seen_sky, exp2(-16.0 * s.roughness - 1.0)) - 1.0 + seen_sky, 0.0, 1.0);
  sum += gloss * around * clear;
  if (cosine > 0.0 && visible > 0.0 && draw_light.gloss > 0.0)
    sum += draw_light.lamp * visible * highlight(f0, s.roughness, s.normal, to_eye, cosine, facing);
  return sum;
}
