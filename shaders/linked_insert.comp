#version 460
#extension GL_GOOGLE_include_directive : require
// Linked neighbour lists (Millard et al. 2023, section II-B): every grain puts itself at the head of its cell's list. An exchange does
// what their compare-and-swap loop does. Grains stay where they are in memory; grains_next is made equal to them, as after
// grid_commit, which a halt for want of slots relies on.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) buffer HeadBlock { uint grid_head[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer LinkBlock { uint grid_link[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
#include "shared/cell.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  grains_next[i] = grains[i];
  if (grains[i].position.w == 0.0) {  // gone
    grid_link[i] = no_partner;
    return;
  }
  ivec3 cell = cell_of(grains[i].position.xyz);
  grid_link[i] = atomicExchange(grid_head[grid_key(cell, grain_tag[i] >> tag_world_shift, settings.grid_bits)], i);
}
