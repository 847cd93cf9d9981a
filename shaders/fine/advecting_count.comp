#version 460
#extension GL_GOOGLE_include_directive : require
// Coarse grains per near cell.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) buffer CountBlock { uint near_count[]; };
#include "shared/near.glsl"
#include "shared/advecting.glsl"

void main() {
  uint i = element_index();
  if (i < args.grains && is_advecting(i))
    atomicAdd(near_count[near_key(near_cell(grains[i].position.xyz))], 1u);
}
