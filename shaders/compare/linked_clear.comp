#version 460
#extension GL_GOOGLE_include_directive : require
// Empties the cells of linked neighbour lists.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 2, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) writeonly buffer HeadBlock { uint grid_head[]; };

void main() {
  uint cell = element_index();
  if (cell < status.rebuild * grid_cells(settings.grid.bits))
    grid_head[cell] = no_partner;
}
