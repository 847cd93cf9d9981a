#version 460
#extension GL_GOOGLE_include_directive : require
// Rows per chunk, for the prefix sum in contact_scan.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint slice_width[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer SumsBlock { uint slice_sums[]; };
#define DATA slice_width
#define SUMS slice_sums
#define LENGTH ((args.grains + slice_grains - 1u) / slice_grains)
#include "shared/reduce.glsl"
