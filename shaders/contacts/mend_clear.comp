#version 460
#extension GL_GOOGLE_include_directive : require
// No cell is marked, and no grain is linked to one.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 1, scalar) writeonly buffer HeadBlock { uint grid_head[]; };

void main() {
  uint cell = element_index();
  if (cell < grid_cells(settings.grid.bits))
    grid_head[cell] = link_end;
}
