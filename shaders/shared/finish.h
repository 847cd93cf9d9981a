// How surfaces reflect light in pictures, and what the minerals are of which sand, gravel and soil are mixtures. Read by
// GLSL and C++.
#ifndef TALUS_FINISH_H
#define TALUS_FINISH_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
#include <glm/glm.hpp>
namespace talus::shared {
using glm::clamp, glm::dot, glm::max, glm::mix, glm::vec3;
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// Values as in engine/scene/scene.h.
TALUS_CONST uint finish_plain = 0u;
TALUS_CONST uint finish_sand = 1u;
TALUS_CONST uint finish_gravel = 2u;
TALUS_CONST uint finish_soil = 3u;
TALUS_CONST uint finish_glass = 4u;
TALUS_CONST uint finish_metal = 5u;
TALUS_CONST uint finish_paint = 6u;

// Has it grains of several minerals, which are cut by planes?
TALUS_INLINE bool is_mixture(uint finish) {
  return finish == finish_sand || finish == finish_gravel || finish == finish_soil;
}

// Roughness as B. Burley (2012, Physically based shading at Disney) has it: the width of GGX is its square.
TALUS_INLINE float roughness_of(uint finish) {
  if (finish == finish_sand)
    return 0.55f;
  if (finish == finish_gravel)
    return 0.7f;
  if (finish == finish_soil)
    return 0.9f;
  if (finish == finish_glass)
    return 0.15f;
  if (finish == finish_metal)
    return 0.38f;
  return finish == finish_paint ? 0.4f : 0.8f;
}

// Share of the diffuse light that goes through a grain and leaves it elsewhere: it wraps around the terminator.
TALUS_INLINE float translucency_of(uint finish) {
  return finish == finish_sand ? 0.3f : finish == finish_glass ? 0.6f : 0.0f;
}

// Reflectance at normal incidence of what is no metal: that of quartz, n = 1.54, and of most minerals, glass and varnish.
TALUS_CONST float mineral_reflectance = 0.045f;
TALUS_CONST float water_reflectance = 0.02f;

// Minerals of a mixture, as (share, gain, paleness): the colour of one is gain mix(color, grey of the same luminance,
// paleness). Shares add up to 1, and over the mixture the sums of share gain (1 - paleness) and of share gain paleness are 1
// and 0, so that the mean is the colour of the material. Sand has the means of F. J. Pettijohn, P. E. Potter and R. Siever,
// Sand and Sandstone (1987), rounded: two thirds of stained quartz, then feldspar, fragments of rock, and dark ores and
// micas. Gravel: grey, pale, stained and dark rock. Soil: crumbs, some with more humus, bare quartz, and humus.
TALUS_CONST int minerals = 4;
TALUS_INLINE vec3 mineral(uint finish, int k) {
  if (finish == finish_sand)
    return k == 0   ? vec3(0.72f, 0.99944f, -0.15944f)
           : k == 1 ? vec3(0.17f, 1.22f, 0.45f)
           : k == 2 ? vec3(0.08f, 0.80f, 0.25f)
                    : vec3(0.03f, 0.30f, 0.60f);
  if (finish == finish_gravel)
    return k == 0   ? vec3(0.50f, 1.01600f, -0.18307f)
           : k == 1 ? vec3(0.20f, 1.35f, 0.30f)
           : k == 2 ? vec3(0.18f, 0.90f, 0.00f)
                    : vec3(0.12f, 0.50f, 0.20f);
  return k == 0   ? vec3(0.72f, 1.03611f, -0.06032f)
         : k == 1 ? vec3(0.16f, 0.80f, 0.00f)
         : k == 2 ? vec3(0.06f, 1.50f, 0.50f)
                  : vec3(0.06f, 0.60f, 0.00f);
}

TALUS_INLINE vec3 mineral_color(vec3 color, vec3 mineral) {
  vec3 grey = vec3(dot(color, vec3(0.2126f, 0.7152f, 0.0722f)));
  return clamp(mineral.y * mix(color, grey, mineral.z), vec3(0.0f), vec3(0.9f));
}

// A grain's mineral by a number at random below 1.
TALUS_INLINE vec3 mineral_at(uint finish, float random) {
  int k = 0;
  for (float sum = mineral(finish, 0).x; k + 1 < minerals && random >= sum; sum += mineral(finish, k).x)
    ++k;
  return mineral(finish, k);
}

// The colour of a surface with water in its pores. Light that has entered the film of water is reflected back at its
// surface with the probability p = 1 - 1 / n^2 = 0.43, n = 1.33 (A. Angstrom 1925; J. Lekner and M. C. Dorf, Why some things
// are darker when wet, Applied Optics 27 (1988) 1278).
TALUS_INLINE vec3 wet_color(vec3 dry, float wetness) {
  const float p = 0.43f;
  return mix(dry, dry * (1.0f - p) / (vec3(1.0f) - p * dry), wetness);
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
