#version 460
#extension GL_GOOGLE_include_directive : require
// A field that follows fine grains, in the order that fine_rank has found.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FromBlock { uint near_from[]; };

uint first_of_group() { return group_index() * group_size; }
uint number_of(uint place) { return place; }
#define FROM near_from
#define PLACES args.fine.places
#include "shared/field_gather.glsl"
