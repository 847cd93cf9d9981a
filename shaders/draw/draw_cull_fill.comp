// The lists of grains that are drawn, in the order of the grains, so that the same state is the same picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountsBlock { uint draw_counts[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CommandsBlock { DrawCommand draw_commands[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer ListBlock { uint draw_list[]; };
#include "shared/draw_grains.glsl"
#include "shared/draw_cull.glsl"

const uint segment = 16u;  // lanes that one lane adds up: few barriers, which cost most on a CPU
shared uint before[group_size];
shared uint segments[group_size / segment];

void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
  uint i = group * group_size + lane, own = i < draw_frame.drawn ? lists_of(i) : 0u;
  before[lane] = own;
  barrier();
  if (lane < group_size / segment) {
    uint sum = 0u;
    for (uint k = lane * segment; k < (lane + 1u) * segment; ++k) {
      uint one = before[k];
      before[k] = sum;
      sum += one;
    }
    segments[lane] = sum;
  }
  barrier();
  uint place = before[lane];
  for (uint s = 0u; s < lane / segment; ++s)
    place += segments[s];
  for (uint kind = 0u; kind < kinds; ++kind)
    if (of_kind(own, kind) != 0u) {
      uint start = kind == 0u ? 0u : kind == 1u ? draw_commands[1].first_vertex : draw_frame.drawn;
      draw_list[start + draw_counts[group * kinds + kind] + of_kind(place, kind)] = i;
    }
}
