#version 460
#extension GL_GOOGLE_include_directive : require
// Sequential positions: positions follow the velocities, and contacts the positions.
#define POSITIONS true
#define MOVED args.h
#include "shared/impulse.glsl"

float residual_of(float approach, float gap) { return sp_residual(approach, gap, settings.solver.kv, settings.solver.kc, args.h); }

#include "shared/impulse_solve.glsl"
