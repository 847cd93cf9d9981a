#version 460
#extension GL_GOOGLE_include_directive : require
// Empties the cells of linked neighbour lists.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) writeonly buffer CellListBlock { uint cell_lists[]; };
#include "shared/cell_lists.glsl"

void main() {
  uint cell = element_index();
  if (cell < status.lists.rebuilding * grid_cells(settings.grid.bits))
    cell_lists[head_at(cell)] = no_partner;
}
