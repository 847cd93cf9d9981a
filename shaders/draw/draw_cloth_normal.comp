// Normals of cloth at its vertices: those of the triangles around them, by area.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 11, scalar) buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
layout(set = 0, binding = 13, scalar) readonly buffer AroundBlock { uint draw_around[]; };
layout(push_constant, scalar) uniform Push { uint vertex_count; };

void main() {
  uint k = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * group_size + gl_LocalInvocationIndex;
  if (k >= vertex_count)
    return;
  vec3 sum = vec3(0.0);
  for (uint n = draw_around[k]; n < draw_around[k + 1u]; ++n) {
    uvec3 corners = draw_triangles[draw_around[n]].corners;
    vec3 a = draw_vertices[corners.x].position;
    sum += cross(shortest_way(draw_frame, draw_vertices[corners.y].position - a),
                 shortest_way(draw_frame, draw_vertices[corners.z].position - a));
  }
  float size = length(sum);
  draw_vertices[k].normal = size > 0.0 ? sum / size : vec3(0.0, 0.0, 1.0);
}
