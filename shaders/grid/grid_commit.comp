#version 460
#extension GL_GOOGLE_include_directive : require
// Brings a sorted field back under its own name. A copy, not a swap: only the device knows which worlds this substep sorts.
#include "shared/pass.glsl"

#include "shared/rebuilt.glsl"

uint first_of_group() { return rebuilt_place(group_index() * group_size); }
#define PLACES args.grains
#include "shared/field_commit.glsl"
