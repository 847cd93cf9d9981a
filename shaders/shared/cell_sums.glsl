// The prefix sum over the cells of the worlds that rebuild: where each begins in cell order.
#include "shared/grid.h"
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#define DATA grid_count
#define SUMS grid_sums
#define START grid_start
#define LENGTH (status.lists.rebuilding * grid_cells(settings.grid.bits))
