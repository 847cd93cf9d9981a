#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shared/types.h"
layout(local_size_x = 64) in;
layout(scalar, binding = 2) readonly buffer Points { vec4 points[]; };
layout(scalar, binding = 3) writeonly buffer Samples { vec4 samples[]; };
#include "shared/solid.glsl"

// Distance from the first part, and its gradient.
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < points.length()) samples[i] = from_parts(0u, 1u, points[i].xyz);
}
