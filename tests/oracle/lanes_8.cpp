#define TALUS_LANES 8
#define RUN_LANES run_lanes_8
#include "lanes.inc"
