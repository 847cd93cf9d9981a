// What of a body is drawn throws a shadow.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
layout(set = 0, binding = 12, scalar) readonly buffer TrianglesBlock { DrawTriangle draw_triangles[]; };
#include "shared/draw_body.glsl"

layout(location = 0) in vec3 point;
layout(location = 1) flat in uint triangle;

void main() {
  uint body = draw_triangles[triangle].body;
  if (!body_shown(body, point) || body_drawn(body) == draw_wire_bodies)
    discard;
}
