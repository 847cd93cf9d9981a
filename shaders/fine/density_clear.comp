#version 460
#extension GL_GOOGLE_include_directive : require
// No node has fine grains around it, and no place a block.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) writeonly buffer CountBlock { uint density_count[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer OwnerBlock { uint density_owner[]; };
#include "shared/density.h"

void main() {
  uint n = element_index();
  if (n >= grid_cells(settings.density_grid.bits) * density_block)
    return;
  density_count[n] = 0u;
  if (n % density_block == 0u)
    density_owner[n / density_block] = 0xFFFFFFFFu;
}
