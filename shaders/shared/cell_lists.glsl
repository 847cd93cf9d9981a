// Linked lists of cells. Needs settings and cell_lists in scope.
#include "shared/grid.h"

uint cells_of_all() { return settings.worlds.count * grid_cells(settings.grid.bits); }
uint head_at(uint cell) { return link_head_word(cells_of_all(), settings.bodies.count, cell); }
uint link_at(uint i) { return link_word(cells_of_all(), settings.bodies.count, i); }
