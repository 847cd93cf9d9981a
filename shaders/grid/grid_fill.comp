#version 460
#extension GL_GOOGLE_include_directive : require
// Places every grain in its cell, in whatever order; leaves grid_count at zero for the next build.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 5, scalar) buffer CountBlock { uint grid_count[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer OrderBlock { uint grid_order[]; };
#include "shared/cell.glsl"
#include "shared/cell_start.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains || grains[i].position.w == 0.0)
    return;
  uint key = cell_key(cell_of(grains[i].position.xyz, world), world);
  grid_order[first_in_cell(key, world) + atomicAdd(grid_count[key], 0xFFFFFFFFu) - 1u] = i;
}
