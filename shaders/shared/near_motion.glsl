// How coarse grains near a place move: 0, near_moves or near_stirs. Needs settings, near_motion, fine.h and near.glsl in scope.
uint motion_near(vec3 p) {
  ivec3 cell = near_cell(p);
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], settings.near_grid.cells[a]);
  return near_motion[near_block(cell, settings.near_grid.bits)];
}
