// How many grains of a workgroup are drawn, list by list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer CountsBlock { uint draw_counts[]; };
#include "shared/draw_grains.glsl"
#include "shared/draw_cull.glsl"

shared uint total;

void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * group_size + gl_LocalInvocationIndex;
  if (gl_LocalInvocationIndex == 0u)
    total = 0u;
  barrier();
  if (i < draw_frame.drawn)
    atomicAdd(total, lists_of(i));
  barrier();
  if (gl_LocalInvocationIndex < kinds && group * group_size < draw_frame.drawn)
    draw_counts[group * kinds + gl_LocalInvocationIndex] = of_kind(total, gl_LocalInvocationIndex);
}
