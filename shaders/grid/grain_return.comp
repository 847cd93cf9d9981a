#version 460
#extension GL_GOOGLE_include_directive : require
// Brings the grains' state back from their copies: substeps that were passed over have exchanged the two, an odd number of times.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SpinNextBlock { vec4 grain_spin_next[]; };

void main() {
  uint i = element_index();
  if (i == 0u)
    status.exchanged = 0u;
  if (i >= args.grains)
    return;
  grains[i] = grains_next[i];
  if (rotating != rotation_off)
    grain_spin[i] = grain_spin_next[i];
}
