#version 460
#extension GL_GOOGLE_include_directive : require
// How many fine grains are around each node, by their volume and in whole numbers: the same in whatever order they come.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer OwnerBlock { uint crowd_owner[]; };
layout(set = 0, binding = 4, scalar) buffer CountBlock { uint crowd_count[]; };
#include "shared/crowd.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine || fine_grains[i].position.w == 0.0)
    return;
  vec4 grain = fine_grains[i].position;
  CrowdPlace place = crowd_place(grain.xyz);
  precise float units = float(crowd_unit) * (grain.w * grain.w * grain.w * settings.fine.volume);
  uint apart = 0u;
  for (uint c = 0u; c < 8u; ++c) {
    ivec3 node = crowd_corner(place.node, c), block = crowd_block_of(node);
    precise float share = units * crowd_weight(place.within, c);
    if (share < 1.0)
      continue;
    if (crowd_owner[crowd_slot(block, settings.crowd_grid.bits)] == crowd_key(block, settings.crowd_grid.bits))
      atomicAdd(crowd_count[crowd_index(node, settings.crowd_grid.bits)], uint(share));
    else
      ++apart;
  }
  if (apart > 0u)
    atomicAdd(status.fine_apart, apart);
}
