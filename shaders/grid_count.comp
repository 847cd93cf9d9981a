#version 460
#extension GL_GOOGLE_include_directive : require
// Grains per cell; those that are gone are in none.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) buffer CountBlock { uint grid_count[]; };
#include "shared/cell.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || grains[i].position.w == 0.0)
    return;
  ivec3 cell = cell_of(grains[i].position.xyz);
  atomicAdd(grid_count[grid_key(cell, grain_tag[i] >> tag_world_shift, settings.grid_bits)], 1u);
}
