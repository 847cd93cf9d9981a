#version 460
#extension GL_GOOGLE_include_directive : require
// Grains per cell; those that are gone are in none.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) buffer CountBlock { uint grid_count[]; };
#include "shared/cell.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains || grains[i].position.w == 0.0)
    return;
  atomicAdd(grid_count[cell_key(cell_of(grains[i].position.xyz, world), world)], 1u);
}
