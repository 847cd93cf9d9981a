#version 460
#extension GL_GOOGLE_include_directive : require
// Rows per chunk, for the prefix sum in contact_scan.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer DataBlock { uint slice_width[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer SumsBlock { uint slice_sums[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#define DATA slice_width
#define SUMS slice_sums
#define LENGTH (many_worlds == 0u ? (args.grains + slice_grains - 1u) / slice_grains : status.rebuild * (settings.worlds.places / slice_grains))
#include "shared/reduce.glsl"
