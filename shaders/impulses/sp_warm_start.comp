#version 460
#extension GL_GOOGLE_include_directive : require
// Sequential positions: positions follow the velocities, and contacts the positions.
#define POSITIONS true
#include "shared/impulse_warm_start.glsl"
