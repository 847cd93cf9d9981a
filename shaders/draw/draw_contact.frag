// Which contact is seen, and its depth.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
#include "shared/draw_contact.glsl"

layout(location = 0) in vec3 ray;
layout(location = 1) flat in vec4 from;
layout(location = 2) flat in vec4 axis;
layout(location = 3) flat in uint line;
layout(location = 0) out uint seen;

void main() {
  vec3 direction = normalize(ray), normal;
  float t;
  if (!hit_tube(Tube(from.xyz, axis.xyz, axis.w, from.w, 0.0), direction, t, normal))
    discard;
  float z = t * dot(direction, draw_frame.forward);
  if (z <= draw_frame.nearest)
    discard;
  seen = draw_line_bit | line;
  gl_FragDepth = draw_frame.nearest / z;
}
