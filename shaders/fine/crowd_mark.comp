#version 460
#extension GL_GOOGLE_include_directive : require
// Which places have the blocks that several share.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) buffer OwnerBlock { uint crowd_owner[]; };
#include "shared/crowd.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine || fine_grains[i].position.w == 0.0)
    return;
  CrowdPlace place = crowd_place(fine_grains[i].position.xyz);
  ivec3 last = ivec3(cells_none);
  for (uint c = 0u; c < 8u; ++c) {
    ivec3 block = crowd_block_of(crowd_corner(place.node, c));
    if (block == last)
      continue;
    last = block;
    uint slot = crowd_slot(block, settings.crowd_grid.bits), key = crowd_key(block, settings.crowd_grid.bits);
    if (crowd_owner[slot] > key)
      atomicMin(crowd_owner[slot], key);
  }
}
