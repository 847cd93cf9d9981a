// Colours that stand for numbers: linear RGB, read by GLSL and C++.
#ifndef TALUS_COLOR_SCALE_H
#define TALUS_COLOR_SCALE_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
#include <glm/glm.hpp>
namespace talus::shared {
using glm::cos, glm::sin, glm::log, glm::max, glm::clamp, glm::mix, glm::vec2;
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// What colours the grains; values as in engine/scene/scene.h.
TALUS_CONST uint draw_by_material = 0u;
TALUS_CONST uint draw_by_speed = 1u;
TALUS_CONST uint draw_by_depth = 2u;
TALUS_CONST uint draw_by_overlap = 3u;
TALUS_CONST uint draw_by_contacts = 4u;
TALUS_CONST uint draw_by_force = 5u;
TALUS_CONST uint draw_by_palette = 6u;
TALUS_CONST uint draw_by_id = 7u;
TALUS_CONST uint draw_by_world = 8u;
TALUS_CONST uint draw_by_radius = 9u;
TALUS_CONST uint draw_by_spin = 10u;
TALUS_CONST uint draw_by_activity = 11u;

TALUS_INLINE bool has_scale(uint color_by) {
  return color_by != draw_by_material && color_by != draw_by_palette && color_by != draw_by_world;
}

// OKLab (Ottosson 2020): equal steps look equal.
TALUS_INLINE vec3 from_oklab(float lightness, float chroma, float hue) {
  float a = chroma * cos(hue), b = chroma * sin(hue);
  vec3 lms = vec3(lightness + 0.3963377774f * a + 0.2158037573f * b, lightness - 0.1055613458f * a - 0.0638541728f * b,
                  lightness - 0.0894841775f * a - 1.2914855480f * b);
  lms = lms * lms * lms;
  return max(vec3(4.0767416621f * lms.x - 3.3077115913f * lms.y + 0.2309699292f * lms.z,
                  -1.2684380046f * lms.x + 2.6097574011f * lms.y - 0.3413193965f * lms.z,
                  -0.0041960863f * lms.x - 0.7034186147f * lms.y + 1.7076147010f * lms.z),
             vec3(0.0f));
}

// 0 .. 1, from dark blue to light yellow.
TALUS_INLINE vec3 color_scale(float t) {
  return from_oklab(mix(0.46f, 0.90f, t), 0.13f, mix(4.6f, 1.75f, t));
}

// Of things that have no order: neighbours in number are the golden angle apart in hue.
TALUS_INLINE vec3 color_apart(uint number) {
  return from_oklab((number & 1u) == 0u ? 0.72f : 0.60f, 0.14f, 0.9f + 2.3999632f * float(number % 256u));
}

// The ends of a scale by itself, from the least and the greatest value there is.
TALUS_INLINE vec2 automatic_range(uint color_by, float low, float high) {
  if (color_by == draw_by_activity)
    return vec2(0.0f, 1.0f);
  if (color_by == draw_by_overlap || color_by == draw_by_contacts || color_by == draw_by_spin)
    return vec2(0.0f, high);
  return vec2(color_by == draw_by_force ? 1e-3f * high : low, high);  // forces by their logarithm
}

// Where on the scale a value is, 0 .. 1.
TALUS_INLINE float place_on_scale(uint color_by, vec2 range, float value) {
  if (!(range.x < range.y))
    return 0.0f;
  float place = color_by == draw_by_force ? log(max(value, range.x) / range.x) / log(range.y / range.x)
                                          : (value - range.x) / (range.y - range.x);
  return clamp(place, 0.0f, 1.0f);
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
