// What grains and bodies extend over: fits the shadow map and the colour scale.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(push_constant, scalar) uniform Push { uint grain_count; uint body_count; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 16, scalar) readonly buffer MeasuresBlock { GrainMeasure measures[]; };
layout(set = 0, binding = 17, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 19, scalar) readonly buffer ActivityBlock { SliceActivity slice_activity[]; };
layout(set = 0, binding = 18, scalar) writeonly buffer DrawnBlock { DrawnGrain drawn_grains[]; };
#include "shared/draw_body.glsl"
#include "shared/draw_grains.glsl"

shared vec3 low[group_size];
shared vec3 high[group_size];
shared vec2 values[group_size];
shared float forces[group_size];

const float far = 3e38;

// 0 of a sleeper in a slice that did not run, and of the ground; a half of one that is watched; 1 of a grain that is awake.
float activity_at(uint i) {
  if (is_fine(i))
    return draw_frame.fine_rest != 0u ? 0.0 : 1.0;
  if (draw_frame.sleeps == 0u)
    return 1.0;
  uint state = slice_activity[i / slice_grains].state;
  return (state >> i % slice_grains & 1u) == 0u ? 1.0 : (state & slice_ran) != 0u ? 0.5 : 0.0;
}

// On the colour scale.
float value_at(uint i) {
  switch (draw_frame.color_by) {
  case draw_by_speed:
    return length(grain_at(i).velocity.xyz);
  case draw_by_depth:
    return grain_at(i).position.z;
  case draw_by_overlap:
    return measures[i].penetration_max;
  case draw_by_contacts:
    return float(measures[i].contacts);
  case draw_by_force:
    return measures[i].force_max;
  case draw_by_id:
    return float(number_at(i));
  case draw_by_radius:
    return grain_at(i).position.w;
  case draw_by_spin:
    return draw_frame.spins != 0u && !is_fine(i) ? length(grain_spin[i].xyz) / grains[i].position.w : 0.0;
  case draw_by_activity:
    return activity_at(i);
  default:
    return 0.0;
  }
}

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
    float value = value_at(i);
    if (has_scale(draw_frame.color_by))
      drawn_grains[i].value = value;
    // Written so that NaN fails it. Of radius 0: gone.
    if (grain.w > 0.0 && all(greaterThanEqual(grain.xyz, draw_frame.measured_min)) &&
        all(lessThanEqual(grain.xyz, draw_frame.measured_max))) {
      vec3 p = along_light(draw_frame, grain.xyz);
      low[lane] = p - grain.w;
      high[lane] = p + grain.w;
      if (is_drawn(i))
        values[lane] = vec2(value);
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
