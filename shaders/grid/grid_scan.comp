#version 460
#extension GL_GOOGLE_include_directive : require
// Where each cell begins in cell order: prefix sum of grid_count.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint grid_count[]; };
layout(set = 0, binding = 1, scalar) readonly buffer SumsBlock { uint grid_sums[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#include "shared/grid.h"
#define DATA grid_count
#define SUMS grid_sums
#define START grid_start
#define LENGTH (status.rebuild * grid_cells(settings.grid.bits))
#include "shared/scan.glsl"
