#version 460
#extension GL_GOOGLE_include_directive : require
// Velocity time stepping: contacts stay where they are at the start of the substep, and only velocities change.
#define POSITIONS false
#include "shared/impulse.glsl"

float residual_of(float approach, float gap) { return vts_residual(approach, gap, settings.solver.gamma, args.h); }

#include "shared/impulse_solve.glsl"
