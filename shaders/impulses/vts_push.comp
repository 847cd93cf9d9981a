#version 460
#extension GL_GOOGLE_include_directive : require
// Velocity time stepping: contacts are where they are at the start of the substep.
#define POSITIONS false
#include "shared/impulse_push.glsl"
