#version 460
#extension GL_GOOGLE_include_directive : require
// How far grains may have moved since the lists were built, and the count of substeps.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) buffer StatusBlock { Status status; };

void main() {
  if (element_index() != 0u || status.halt != halt_none)
    return;
  status.speed = sqrt(uintBitsToFloat(status.speed2_bits));
  status.speed2_bits = 0u;
  status.shift = uintBitsToFloat(status.shift_bits);
  status.shift_bits = 0u;
  status.cloth_half = uintBitsToFloat(status.cloth_half_bits);
  status.cloth_half_bits = 0u;
  status.travel += args.h * max(status.speed, args.body_speed) + status.shift;
  status.substep += 1u;
  status.substeps_done += 1u;
}
