// Cells of the triangles of cloth (cloth_sort). Needs settings, worlds and shared/cloth.glsl in scope.
#include "shared/grid.h"

ivec3 cloth_cell_of(vec3 p, uint world) {
  precise vec3 c = (p - settings.domain.min) * worlds[world].cloth.inverse_cell;
  ivec3 cell = ivec3(floor(clamp(c, vec3(-1e6), vec3(1e6))));
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], worlds[world].cloth.cells[a]);
  return cell;
}
uint cloth_key(ivec3 cell) { return grid_key(cell, settings.cloth.bits); }

// Words of shape_data: the first triangle of a cell in the order, and the k-th one in it.
uint start_word(uint world, uint cell) {
  return cloth_start_word(settings.cloth.words, all_triangles, all_vertices, grid_cells(settings.cloth.bits), world, cell);
}
uint order_word(uint k) {
  return cloth_order_word(settings.cloth.words, all_triangles, all_vertices, grid_cells(settings.cloth.bits), settings.worlds.count, k);
}
