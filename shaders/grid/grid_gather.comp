#version 460
#extension GL_GOOGLE_include_directive : require
// A field that follows grains, in the order that grid_rank has found.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FromBlock { uint grid_from[]; };
#include "shared/rebuilt.glsl"

uint first_of_group() { return rebuilt_place(group_index() * group_size); }
uint number_of(uint place) { return place - world_of(place) * settings.worlds.places; }
#define FROM grid_from
#define PLACES args.grains
#include "shared/field_gather.glsl"
