// Which grain is seen, and its depth. The colours come later, once per pixel (draw_picture.frag).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };

layout(location = 0) in vec3 ray;
layout(location = 1) flat in vec4 sphere;
layout(location = 2) flat in uint grain;
layout(location = 0) out uint seen;  // grain + 1
layout(depth_less) out float gl_FragDepth;

void main() {
  float t;
  if (!hit_sphere(normalize(ray), sphere, t))
    discard;
  seen = grain + 1u;
  float z = t * dot(normalize(ray), draw_frame.forward);
  gl_FragDepth = min(draw_frame.nearest / z, gl_FragCoord.z);
}
