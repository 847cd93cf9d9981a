#version 460
#extension GL_GOOGLE_include_directive : require
// Where the rows of each slice begin: prefix sum of slice_width.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint slice_width[]; };
layout(set = 0, binding = 1, scalar) readonly buffer SumsBlock { uint slice_sums[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer StartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#define DATA slice_width
#define SUMS slice_sums
#define START slice_start_next
#define LENGTH (many_worlds == 0u ? (args.grains + slice_grains - 1u) / slice_grains : status.rebuild * (settings.worlds.places / slice_grains))
#include "shared/scan.glsl"
