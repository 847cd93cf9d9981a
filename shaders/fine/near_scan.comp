#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_scan, over near cells.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint near_count[]; };
layout(set = 0, binding = 1, scalar) readonly buffer SumsBlock { uint near_sums[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer StartBlock { uint near_start[]; };
#include "shared/grid.h"
#define DATA near_count
#define SUMS near_sums
#define START near_start
#define LENGTH (grid_cells(settings.near_grid.bits))
#include "shared/scan.glsl"
