#version 460
#extension GL_GOOGLE_include_directive : require
// No coarse grain has told yet how it moves.
#include "shared/pass.glsl"
#include "shared/fine.h"

layout(set = 0, binding = 1, scalar) writeonly buffer MotionBlock { uint near_motion[]; };

void main() {
  uint n = element_index();
  if (n < near_blocks(settings.near_grid.bits))
    near_motion[n] = 0u;
}
