#version 460
#extension GL_GOOGLE_include_directive : require
// Fine grains that come with the coarse ones that emitters release: each at a random place in its coarse grain.
#include "shared/pass.glsl"
#include "shared/fine.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer BirthsBlock { Birth births[]; };
layout(set = 0, binding = 3, scalar) readonly buffer FirstBlock { uint fine_first[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PoursBlock { Pour pours[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer ClearBlock { float fine_clear[]; };
#include "shared/space.glsl"

float random(uint number, uint n) { return float(fine_random(number, n, settings.fine_seed)) * 5.9604644775390625e-8; }  // 2^-24

// In a ball of radius 1.
vec3 place_in_ball(uint number) {
  for (uint k = 0u; k < fine_tries; ++k) {
    precise vec3 p = 2.0 * vec3(random(number, 3u * k + 1u), random(number, 3u * k + 2u), random(number, 3u * k + 3u)) - 1.0;
    if (squared(p) <= 1.0)
      return p;
  }
  return vec3(0.0);
}

void main() {
  uint k = element_index();
  if (k >= args.fine_births || status.halt != halt_none)
    return;
  uint birth = args.fine_first + k, low = pours[step_of_batch].first, high = pours[step_of_batch].end;  // of the only world
  while (high - low > 1u) {
    uint middle = (low + high) / 2u;
    if (fine_first[middle] <= birth)
      low = middle;
    else
      high = middle;
  }
  Grain coarse = births[low].grain;
  uint number = settings.fine_births_first + birth, i = args.fine + k;
  precise float radius = settings.fine_radii.x + random(number, 0u) * (settings.fine_radii.y - settings.fine_radii.x);
  precise vec3 place = coarse.position.xyz + (coarse.position.w - radius) * place_in_ball(number);
  fine_grains[i] = Grain(vec4(place, radius), vec4(coarse.velocity.xyz, 1.0));
  fine_clear[i] = 0.0;
  fine_tag[i] = (births[low].tag & tag_material_mask) | number << fine_tag_shift;
}
