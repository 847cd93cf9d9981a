#version 460
#extension GL_GOOGLE_include_directive : require
// How many fine grains are around each node, by their volume and in whole numbers: the same in whatever order they come.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer OwnerBlock { uint density_owner[]; };
layout(set = 0, binding = 4, scalar) buffer CountBlock { uint density_count[]; };
layout(set = 0, binding = 5, scalar) readonly buffer MotionBlock { uint near_motion[]; };
#include "shared/density.glsl"
#include "shared/fine.h"
#include "shared/near.glsl"
#include "shared/near_motion.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0 || motion_near(fine_grains[i].position.xyz) != near_stirs)
    return;
  vec4 grain = fine_grains[i].position;
  CrowdPlace place = density_place(grain.xyz);
  precise float units = float(density_unit) * (grain.w * grain.w * grain.w * settings.fine.volume);
  uint apart = 0u;
  for (uint c = 0u; c < 8u; ++c) {
    ivec3 node = density_corner(place.node, c), block = density_block_of(node);
    precise float share = units * density_weight(place.within, c);
    if (share < 1.0)
      continue;
    if (density_owner[density_slot(block, settings.density_grid.bits)] == density_key(block, settings.density_grid.bits))
      atomicAdd(density_count[density_index(node, settings.density_grid.bits)], uint(share));
    else
      ++apart;
  }
  if (apart > 0u)
    atomicAdd(status.fine.apart, apart);
}
