#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_fill, of fine grains.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 3, scalar) buffer CountBlock { uint near_count[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer OrderBlock { uint near_order[]; };
#include "shared/near.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0)
    return;
  uint key = near_key(near_cell(fine_grains[i].position.xyz));
  near_order[near_start[key] + atomicAdd(near_count[key], 0xFFFFFFFFu) - 1u] = i;
}
