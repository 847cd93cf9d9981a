#version 460
#extension GL_GOOGLE_include_directive : require
// No node has fine grains around it, and no place a block.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) writeonly buffer CountBlock { uint crowd_count[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer OwnerBlock { uint crowd_owner[]; };
#include "shared/crowd.h"

void main() {
  uint n = element_index();
  if (n >= grid_cells(settings.crowd_grid.bits) * crowd_block)
    return;
  crowd_count[n] = 0u;
  if (n % crowd_block == 0u)
    crowd_owner[n / crowd_block] = 0xFFFFFFFFu;
}
