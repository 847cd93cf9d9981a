// The place of the first grain of a cell; of the cell behind the last one of a world: behind its last grain that is there. grid_start
// counts those of all worlds that rebuild: a world's own begin at its places. Needs settings, worlds and grid_start in scope.
uint first_in_cell(uint key, uint world) {
  return many_worlds == 0u ? grid_start[key] : world * settings.worlds.places + grid_start[key] - grid_start[worlds[world].lists.table * grid_cells(settings.grid.bits)];
}
