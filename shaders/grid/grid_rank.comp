#version 460
#extension GL_GOOGLE_include_directive : require
// Which grain each place in memory gets when grains are sorted by cells, so that neighbours in space are neighbours in memory,
// and by id inside a cell: this canonical order is what makes a run repeat bit for bit, whatever order grid_fill came to. All
// that follows grains is then brought there (grid_gather, grid_commit).
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer OrderBlock { uint grid_order[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer FromBlock { uint grid_from[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer PlaceBlock { vec4 list_position[]; };
#include "shared/cell.glsl"
#include "shared/cell_start.glsl"
#include "shared/rebuilt.glsl"

void put(uint to, uint from, vec4 position) {
  grid_from[to] = from;
  if (settings.grid.incremental != 0u)
    list_position[to] = position;
}

void main() {
  uint k = rebuilt_place(element_index()), world = world_of(k);
  if (k >= args.grains)
    return;
  // Behind all cells lie the places of grains that are gone.
  if (k >= first_in_cell((worlds[world].lists.table + 1u) * grid_cells(settings.grid.bits), world)) {
    put(k, no_grain, vec4(0.0));
    return;
  }
  uint from = grid_order[k], id = grain_id[from];
  vec4 position = grains[from].position;
  uint key = cell_key(cell_of(position.xyz, world), world);
  uint begin = first_in_cell(key, world), end = first_in_cell(key + 1u, world), to = begin;
  for (uint other = begin; other < end; ++other)
    to += grain_id[grid_order[other]] < id ? 1u : 0u;
  put(to, from, position);
}
