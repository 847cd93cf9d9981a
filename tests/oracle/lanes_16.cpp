#define TALUS_WIDE
#define RUN_LANES run_lanes_16
#include "lanes.inc"
