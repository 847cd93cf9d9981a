// The prefix sum over near cells: where each begins in their order.
#include "shared/grid.h"
#define DATA near_count
#define SUMS near_sums
#define START near_start
#define LENGTH (grid_cells(settings.near_grid.bits))
