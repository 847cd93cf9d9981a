// The cell of the grid that a place lies in. `precise`, so that the CPU finds the same. Needs `settings` and `worlds` in scope.
#include "shared/grid.h"

ivec3 wrapped(ivec3 cell, uint world) {
  if (periodic_axes == 0u)
    return cell;
  return ivec3(grid_wrap(cell.x, worlds[world].grid.cells.x), grid_wrap(cell.y, worlds[world].grid.cells.y), grid_wrap(cell.z, worlds[world].grid.cells.z));
}

ivec3 cell_of(vec3 p, uint world) {
  precise vec3 c = (p - settings.domain.min) * worlds[world].grid.inverse_cell;
  return wrapped(ivec3(floor(clamp(c, vec3(-1e6), vec3(1e6)))), world);
}

// A cell in the tables of the worlds that rebuild, one after another.
uint cell_key(ivec3 cell, uint world) {
  uint key = grid_key(cell, settings.grid.bits);
  return many_worlds == 0u ? key : worlds[world].lists.table * grid_cells(settings.grid.bits) + key;
}
