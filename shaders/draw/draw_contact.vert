// Contacts as tubes: a quad across the view around each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };
#include "shared/draw_contact.glsl"

layout(location = 0) out vec3 ray;             // from the eye
layout(location = 1) flat out vec4 from;       // of the tube, and its radius
layout(location = 2) flat out vec4 axis;       // and its length
layout(location = 3) flat out uint line;

void main() {
  line = gl_InstanceIndex;
  ray = vec3(0.0);
  from = axis = vec4(0.0);
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // clipped
  Tube tube = tube_at(line, greatest_force(draw_frame, draw_extent));
  if (!(tube.radius > 0.0))
    return;
  from = vec4(tube.from, tube.radius);
  axis = vec4(tube.axis, tube.span);
  vec2 corner = square_corner(gl_VertexIndex);
  vec3 end = tube.from + (corner.x < 0.0 ? -tube.radius : tube.span + tube.radius) * tube.axis;
  vec3 side = cross(tube.axis, end);
  const float skin = 1.1;  // a tube that is near is seen wider than its middle
  ray = end + side * (skin * tube.radius * corner.y / max(length(side), 1e-12));
  gl_Position = to_screen(draw_frame, ray);
}
