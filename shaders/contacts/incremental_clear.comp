#version 460
#extension GL_GOOGLE_include_directive : require
// No cell is marked, and no grain is linked to one.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) writeonly buffer CellListBlock { uint cell_lists[]; };
#include "shared/cell_lists.glsl"

void main() {
  uint cell = element_index();
  if (cell < grid_cells(settings.grid.bits))
    cell_lists[head_at(cell)] = link_end;
}
