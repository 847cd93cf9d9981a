// Radiance of a clear sky and of the sun before it: luminance after A. J. Preetham, P. Shirley and B. Smits, A practical
// analytic model for daylight, SIGGRAPH 1999, and colour after H. Takagi et al., Accurate rendering technique based on
// colorimetric conception, SIGGRAPH 1990. Read by GLSL and C++.
#ifndef TALUS_SKY_H
#define TALUS_SKY_H
#ifdef __cplusplus
#include <glm/glm.hpp>
namespace talus::shared {
using glm::acos, glm::clamp, glm::dot, glm::exp, glm::mat3, glm::max, glm::pow, glm::tan, glm::vec3;
#define TALUS_CONST constexpr
#define TALUS_INLINE inline
#else
#define TALUS_CONST const
#define TALUS_INLINE
#endif

// Optical thickness of air with haze by that of clean air: 2 is very clear, 3 a clear day, 10 haze.
TALUS_CONST float turbidity = 3.0f;

// Luminance by that of other directions, Perez et al. 1993: (1 + a e^(b / cos z)) (1 + c e^(d g) + e cos^2 g), z from the
// zenith and g from the sun, with Preetham's coefficients.
TALUS_INLINE float perez(float cos_z, float cos_g) {
  const float t = turbidity;
  float g = acos(clamp(cos_g, -1.0f, 1.0f));
  return (1.0f + (0.1787f * t - 1.4630f) * exp((-0.3554f * t + 0.4275f) / cos_z)) *
         (1.0f + (-0.0227f * t + 5.3251f) * exp((0.1206f * t - 2.5771f) * g) + (-0.0670f * t + 0.3703f) * cos_g * cos_g);
}

// Luminance of the zenith [kcd/m2], by perez() there: the factor of the sky. sun: unit, towards it.
TALUS_INLINE float sky_factor(vec3 sun) {
  const float t = turbidity;
  float from_zenith = acos(clamp(sun.z, 0.0f, 1.0f));
  float luminance = (4.0453f * t - 4.9710f) * tan((4.0f / 9.0f - t / 120.0f) * (3.14159265f - 2.0f * from_zenith)) - 0.2155f * t + 2.4192f;
  return luminance / perez(1.0f, sun.z);
}

// Linear RGB (sRGB primaries) [kcd/m2] of the sky without the sun's disc. What is below the horizon looks as the horizon.
TALUS_INLINE vec3 sky_radiance(vec3 way, vec3 sun, float factor) {
  float luminance = factor * perez(max(way.z, 0.01f), dot(way, sun));
  // Takagi: 6500 K + 1.1985e8 K (cd/m2 / L)^1.2. The chromaticity is that of daylight (CIE 15, from 7000 to 25000 K), by 1000 K / T.
  float t = 1.0f / clamp(6.5f + 30.1f * pow(luminance, -1.2f), 7.0f, 25.0f);
  float x = 0.237040f + t * (0.24748f + t * (1.9018f - 2.0064f * t)), y = -0.275f + x * (2.870f - 3.000f * x);
  vec3 xyz = luminance / y * vec3(x, y, 1.0f - x - y);
  return max(mat3(3.2406f, -0.9689f, 0.0557f, -1.5372f, 1.8758f, -0.2040f, -0.4986f, 0.0415f, 1.0570f) * xyz,
             vec3(0.0f));
}

// Irradiance [klx] of a surface that faces the sun, of the angle that its zenith distance gives: 128 klx outside of the
// atmosphere, less what molecules and aerosols scatter at 610, 550 and 465 nm (Preetham et al., appendix A.1), over the air
// mass of F. Kasten and A. T. Young (1989).
TALUS_INLINE vec3 sun_irradiance(vec3 sun) {
  float height = max(sun.z, 0.01f), degrees = 90.0f - 57.29578f * acos(clamp(height, 0.0f, 1.0f));
  float mass = 1.0f / (height + 0.50572f * pow(degrees + 6.07995f, -1.6364f));
  const vec3 wavelength = vec3(0.610f, 0.550f, 0.465f);  // um
  vec3 thickness = 0.008735f * pow(wavelength, vec3(-4.08f)) +
                   (0.04608f * turbidity - 0.04586f) * pow(wavelength, vec3(-1.3f));
  return 128.0f * exp(-thickness * mass);
}

TALUS_CONST float sun_radius = 0.00465f;  // tangent of the angle that half the sun's disc is wide

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#undef TALUS_INLINE
#endif
