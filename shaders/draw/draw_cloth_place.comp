// Where the vertices of cloth are, from the solver's grains.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(push_constant, scalar) uniform Push { uint grain_count; };

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * group_size + gl_LocalInvocationIndex;
  if (i < grain_count && is_cloth_vertex(draw_frame, grain_id[i]))
    draw_vertices[grain_id[i] - draw_frame.cloth_first].position = grains[i].position.xyz + draw_frame.moment * grains[i].velocity.xyz;
}
