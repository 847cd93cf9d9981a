#version 460
#extension GL_GOOGLE_include_directive : require
// Fine grains per near cell.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) buffer CountBlock { uint near_count[]; };
#include "shared/near.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0)
    return;
  atomicAdd(near_count[near_key(near_cell(fine_grains[i].position.xyz))], 1u);
}
