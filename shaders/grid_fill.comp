#version 460
#extension GL_GOOGLE_include_directive : require
// Places every grain in its cell, in whatever order; leaves grid_count at zero for the next build.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 5, scalar) buffer CountBlock { uint grid_count[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer OrderBlock { uint grid_order[]; };
#include "shared/cell.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || grains[i].position.w == 0.0)
    return;
  uint key = grid_key(cell_of(grains[i].position.xyz), grain_tag[i] >> tag_world_shift, settings.grid_bits);
  grid_order[grid_start[key] + atomicAdd(grid_count[key], 0xFFFFFFFFu) - 1u] = i;
}
