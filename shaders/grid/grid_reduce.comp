#version 460
#extension GL_GOOGLE_include_directive : require
// Grains per chunk, for the prefix sum in grid_scan.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint grid_count[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer SumsBlock { uint grid_sums[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#include "shared/grid.h"
#define DATA grid_count
#define SUMS grid_sums
#define LENGTH (status.rebuild * grid_cells(settings.grid.bits))
#include "shared/reduce.glsl"
