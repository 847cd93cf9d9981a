#define TALUS_LANES 16
#define RUN_LANES run_lanes_16
#include "lanes.inc"
