#define TALUS_LANES 4
#define RUN_LANES run_lanes_4
#include "lanes.inc"
