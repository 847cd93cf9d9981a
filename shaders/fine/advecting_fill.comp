#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_fill, of coarse grains in near cells.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 4, scalar) buffer CountBlock { uint near_count[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer OrderBlock { uint near_order[]; };
#include "shared/near.glsl"
#include "shared/advecting.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || !is_advecting(i))
    return;
  uint key = near_key(near_cell(grains[i].position.xyz));
  near_order[near_start[key] + atomicAdd(near_count[key], 0xFFFFFFFFu) - 1u] = i;
}
