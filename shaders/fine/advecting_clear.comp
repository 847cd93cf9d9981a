#version 460
#extension GL_GOOGLE_include_directive : require
// Resets the motion near each block of near cells, before the coarse grains that move write theirs.
#include "shared/pass.glsl"
#include "shared/fine.h"

layout(set = 0, binding = 1, scalar) writeonly buffer MotionBlock { uint near_motion[]; };

void main() {
  uint n = element_index();
  if (n < near_blocks(settings.near_grid.bits))
    near_motion[n] = near_still;
}
