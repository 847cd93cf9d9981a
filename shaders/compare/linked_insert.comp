#version 460
#extension GL_GOOGLE_include_directive : require
// Linked neighbour lists (Millard et al. 2023, section II-B): every grain puts itself at the head of its cell's list. An exchange does
// what their compare-and-swap loop does. Grains stay where they are in memory.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) buffer CellListBlock { uint cell_lists[]; };
#include "shared/cell.glsl"
#include "shared/cell_lists.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  if (grains[i].position.w == 0.0) {  // gone
    cell_lists[link_at(i)] = no_partner;
    return;
  }
  cell_lists[link_at(i)] = atomicExchange(cell_lists[head_at(cell_key(cell_of(grains[i].position.xyz, world), world))], i);
}
