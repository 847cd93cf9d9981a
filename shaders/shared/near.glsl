// The cells in which coarse grains are looked for near a place. `precise`, so that the CPU finds the same. Needs `settings` in scope.
#include "shared/grid.h"

// In cells.
vec3 near_place(vec3 p) {
  precise vec3 c = (p - settings.domain.min) * settings.near_grid.inverse;
  return clamp(c, vec3(-1e6), vec3(1e6));
}

ivec3 near_cell(vec3 p) { return ivec3(floor(near_place(p))); }

// A near cell up to one period off, back into the domain along periodic axes.
ivec3 near_home(ivec3 cell) {
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], settings.near_grid.cells[a]);
  return cell;
}

uint near_key(ivec3 cell) { return grid_key(near_home(cell), settings.near_grid.bits); }
