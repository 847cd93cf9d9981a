#version 460
#extension GL_GOOGLE_include_directive : require
// Grains in cell order, so that neighbours in space are neighbours in memory, and by id inside a cell: this canonical order is what
// makes a run repeat bit for bit, whatever order grid_fill came to.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer OrderBlock { uint grid_order[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 6, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 7, scalar) readonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 8, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer IdNextBlock { uint grain_id_next[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer TagNextBlock { uint grain_tag_next[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer RowNextBlock { uint grain_row_next[]; };
#include "shared/cell.glsl"
#include "shared/cell_start.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint k = rebuilt_place(element_index()), world = world_of(k);
  if (k >= args.grains)
    return;
  if (k >= first_in_cell((worlds[world].table + 1u) * grid_cells(settings.grid_bits), world)) {  // behind all cells lie the places of grains that are gone
    grains_next[k] = Grain(vec4(0.0), vec4(0.0));
    grain_id_next[k] = no_grain;
    grain_tag_next[k] = 0u;
    grain_row_next[k] = k - world * settings.places;
    return;
  }
  uint from = grid_order[k], id = grain_id[from], tag = grain_tag[from];
  Grain grain = grains[from];
  uint key = cell_key(cell_of(grain.position.xyz, world), world);
  uint begin = first_in_cell(key, world), end = first_in_cell(key + 1u, world), to = begin;
  for (uint other = begin; other < end; ++other)
    to += grain_id[grid_order[other]] < id ? 1u : 0u;
  grains_next[to] = grain;
  grain_id_next[to] = id;
  grain_tag_next[to] = tag;
  grain_row_next[to] = grain_row[from];
}
