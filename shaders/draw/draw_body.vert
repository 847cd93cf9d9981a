// Triangles of bodies and cloth, from the solver's poses and vertices.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 11, scalar) readonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
#include "shared/draw_corner.glsl"

layout(location = 0) out vec3 point;  // m
layout(location = 1) flat out uint triangle;
layout(location = 2) out vec3 corner;  // 1 at each

void main() {
  triangle = gl_VertexIndex / 3;
  DrawTriangle t = draw_triangles[triangle];
  point = corner_of(t, gl_VertexIndex % 3);
  corner = vec3(equal(uvec3(gl_VertexIndex % 3), uvec3(0u, 1u, 2u)));
  gl_Position = to_screen(draw_frame, point - draw_frame.eye);
}
