#define TALUS_AVX512
#define RUN_LANES run_lanes_16
#include "lanes.inc"
