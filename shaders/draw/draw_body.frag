// Which triangle is seen.
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
layout(location = 2) in vec3 corner;
layout(location = 0) out uint seen;

const float wire = 1.6;  // samples, half of a wire: that of the triangle on its other side is next to it

void main() {
  if (!body_shown(draw_triangles[triangle].body, point))
    discard;
  vec3 away = corner / max(fwidth(corner), vec3(1e-9));  // from the edges, in samples
  if (body_drawn(draw_triangles[triangle].body) == draw_wire_bodies && min(away.x, min(away.y, away.z)) > wire)
    discard;
  seen = draw_body_bit | triangle;
}
