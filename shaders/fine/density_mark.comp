#version 460
#extension GL_GOOGLE_include_directive : require
// Which places have the blocks that several share.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) buffer OwnerBlock { uint density_owner[]; };
layout(set = 0, binding = 3, scalar) readonly buffer MotionBlock { uint near_motion[]; };
#include "shared/density.glsl"
#include "shared/fine.h"
#include "shared/near.glsl"
#include "shared/near_motion.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0 || motion_near(fine_grains[i].position.xyz) != near_stirs)
    return;
  CrowdPlace place = density_place(fine_grains[i].position.xyz);
  ivec3 last = ivec3(cells_none);
  for (uint c = 0u; c < 8u; ++c) {
    ivec3 block = density_block_of(density_corner(place.node, c));
    if (block == last)
      continue;
    last = block;
    uint slot = density_slot(block, settings.density_grid.bits), key = density_key(block, settings.density_grid.bits);
    if (density_owner[slot] > key)
      atomicMin(density_owner[slot], key);
  }
}
