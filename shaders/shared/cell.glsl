// The cell of the grid that a place lies in. `precise`, so that the CPU finds the same. Needs `settings` and `status` in scope.
#include "shared/grid.h"

ivec3 cell_of(vec3 p) {
  precise vec3 c = (p - settings.domain_min) * status.inverse_cell;
  ivec3 cell = ivec3(floor(clamp(c, vec3(-1e6), vec3(1e6))));
  return ivec3(grid_wrap(cell.x, status.cells.x), grid_wrap(cell.y, status.cells.y), grid_wrap(cell.z, status.cells.z));
}
