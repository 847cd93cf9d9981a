// Triangles of bodies and cloth as the light sees them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 11, scalar) readonly buffer VerticesBlock { DrawVertex draw_vertices[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
#include "shared/draw_corner.glsl"

layout(location = 0) out vec3 point;  // m
layout(location = 1) flat out uint triangle;

void main() {
  triangle = gl_VertexIndex / 3;
  DrawTriangle t = draw_triangles[triangle];
  point = corner_of(t, gl_VertexIndex % 3);
  ShadowBox box = shadow_box(draw_extent, draw_frame.shadow_texels);
  vec3 at = (along_light(draw_frame, point) - box.origin) / box.size;
  gl_Position = vec4(at.xy * 2.0 - 1.0, at.z, 1.0);
}
