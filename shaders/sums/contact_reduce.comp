#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/pass.glsl"
#include "shared/slice_sums.glsl"
#include "shared/reduce.glsl"
