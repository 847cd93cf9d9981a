#version 460
#extension GL_GOOGLE_include_directive : require
// Velocity time stepping: contacts stay where they are at the start of the substep, and only velocities change.
#define POSITIONS false
#include "shared/impulse_warm_start.glsl"
