#version 460
#extension GL_GOOGLE_include_directive : require
// Sequential positions: contacts follow the positions.
#define POSITIONS true
#define MOVED args.h
#include "shared/impulse_push.glsl"
