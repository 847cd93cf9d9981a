#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_commit, of fine grains.
#include "shared/pass.glsl"

uint first_of_group() { return group_index() * group_size; }
#define PLACES args.fine.places
#include "shared/field_commit.glsl"
