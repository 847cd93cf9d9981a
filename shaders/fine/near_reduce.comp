#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_reduce, over near cells.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint near_count[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer SumsBlock { uint near_sums[]; };
#include "shared/grid.h"
#define DATA near_count
#define SUMS near_sums
#define LENGTH (grid_cells(settings.near_grid.bits))
#include "shared/reduce.glsl"
