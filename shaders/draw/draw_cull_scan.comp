// Where the grains of each workgroup begin in the lists, and how much there is to draw. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 5, scalar) buffer CountsBlock { uint draw_counts[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer CommandsBlock { DrawCommand draw_commands[]; };

shared uvec3 sums[group_size];

void main() {
  uint lane = gl_LocalInvocationIndex, groups = (draw_frame.drawn + group_size - 1u) / group_size;
  uint share = (groups + group_size - 1u) / group_size, begin = min(lane * share, groups), end = min(begin + share, groups);
  uvec3 sum = uvec3(0u);
  for (uint g = begin; g < end; ++g)
    sum += uvec3(draw_counts[3u * g], draw_counts[3u * g + 1u], draw_counts[3u * g + 2u]);
  sums[lane] = sum;
  barrier();
  if (lane == 0u) {
    uvec3 before = uvec3(0u);
    for (uint k = 0u; k < group_size; ++k) {
      uvec3 own = sums[k];
      sums[k] = before;
      before += own;
    }
    draw_commands[0] = DrawCommand(4u, before.x, 0u, 0u);
    draw_commands[1] = DrawCommand(before.y, 1u, before.x, 0u);  // points lie behind the squares
    draw_commands[2] = DrawCommand(4u, before.z, 0u, 0u);
  }
  barrier();
  sum = sums[lane];
  for (uint g = begin; g < end; ++g)
    for (int kind = 0; kind < 3; ++kind) {
      uint own = draw_counts[3u * g + kind];
      draw_counts[3u * g + kind] = sum[kind];
      sum[kind] += own;
    }
}
