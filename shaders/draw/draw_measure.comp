// What grains and bodies extend over: fits the shadow map and the colour scale.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(push_constant, scalar) uniform Push { uint grain_count; uint body_count; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
#include "shared/draw_body.glsl"
#include "shared/draw_grains.glsl"
#include "shared/draw_value.glsl"

shared vec3 low[group_size];
shared vec3 high[group_size];
shared vec2 values[group_size];
shared float forces[group_size];

const float far = 3e38;

// Along the light, of the part of the box around a body that is near the content.
void measure_body(uint body, uint lane) {
  DrawBody look = draw_bodies[body];
  if (look.low.x > look.high.x || (look.style & draw_in_domain) != 0u)
    return;
  vec3 from = vec3(far), to = vec3(-far);
  for (int corner = 0; corner < 8; ++corner) {
    vec3 p = in_world(body, mix(look.low, look.high, vec3(corner & 1, corner >> 1 & 1, corner >> 2)));
    from = min(from, p);
    to = max(to, p);
  }
  from = max(from, draw_frame.measured_min);
  to = min(to, draw_frame.measured_max);
  for (int corner = 0; corner < (all(lessThanEqual(from, to)) ? 8 : 0); ++corner) {
    vec3 p = along_light(draw_frame, mix(from, to, vec3(corner & 1, corner >> 1 & 1, corner >> 2)));
    low[lane] = min(low[lane], p);
    high[lane] = max(high[lane], p);
  }
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * group_size + lane;
  low[lane] = vec3(far);
  high[lane] = vec3(-far);
  values[lane] = vec2(far, -far);
  forces[lane] = draw_frame.lines != draw_no_lines && i < grain_count ? measures[i].force_max : 0.0;
  if (i < grain_count) {
    vec4 grain = grain_at(i).position;
    // Written so that NaN fails it. Of radius 0: gone.
    if (grain.w > 0.0 && all(greaterThanEqual(grain.xyz, draw_frame.measured_min)) &&
        all(lessThanEqual(grain.xyz, draw_frame.measured_max))) {
      vec3 p = along_light(draw_frame, grain.xyz);
      low[lane] = p - grain.w;
      high[lane] = p + grain.w;
      if (is_drawn(i))
        values[lane] = vec2(value_at(i));
    }
  } else if (i - grain_count < body_count)
    measure_body(i - grain_count, lane);
  for (uint half_size = group_size / 2u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (lane < half_size) {
      low[lane] = min(low[lane], low[lane + half_size]);
      high[lane] = max(high[lane], high[lane + half_size]);
      values[lane].x = min(values[lane].x, values[lane + half_size].x);
      values[lane].y = max(values[lane].y, values[lane + half_size].y);
      forces[lane] = max(forces[lane], forces[lane + half_size]);
    }
  }
  if (lane != 0u)
    return;
  if (forces[0] > 0.0)
    atomicMax(draw_extent.force, ordered(forces[0]));
  if (low[0].x > high[0].x)
    return;
  for (int a = 0; a < 3; ++a) {
    atomicMin(draw_extent.light_min[a], ordered(low[0][a]));
    atomicMax(draw_extent.light_max[a], ordered(high[0][a]));
  }
  atomicMin(draw_extent.low, ordered(values[0].x));
  atomicMax(draw_extent.high, ordered(values[0].y));
}
