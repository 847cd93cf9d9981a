#version 460
#extension GL_GOOGLE_include_directive : require
// Velocity time stepping: contacts stay where they are at the start of the substep, and only velocities change. A gap may close, an
// overlap is taken out in part.
#include "shared/impulse.glsl"

float residual_of(float approach, float gap) {
  return approach + (gap < 0.0 ? settings.gamma : 1.0) * gap / args.h;
}

#define POSITIONS false
#include "shared/impulse_solve.glsl"
