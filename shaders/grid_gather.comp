#version 460
#extension GL_GOOGLE_include_directive : require
// Grains in cell order, so that neighbours in space are neighbours in memory, and by id inside a cell: this canonical order is what
// makes a run repeat bit for bit, whatever order grid_fill came to.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
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

void main() {
  uint k = element_index();
  if (k >= args.grains)
    return;
  if (k >= grid_start[grid_cells(settings.grid_bits)]) {  // behind all cells lie the places of grains that are gone
    grains_next[k] = Grain(vec4(0.0), vec4(0.0));
    grain_id_next[k] = no_grain;
    grain_tag_next[k] = 0u;
    grain_row_next[k] = k;
    return;
  }
  uint from = grid_order[k], id = grain_id[from], tag = grain_tag[from];
  Grain grain = grains[from];
  uint key = grid_key(cell_of(grain.position.xyz), tag >> tag_world_shift, settings.grid_bits);
  uint begin = grid_start[key], end = grid_start[key + 1u], to = begin;
  for (uint other = begin; other < end; ++other)
    to += grain_id[grid_order[other]] < id ? 1u : 0u;
  grains_next[to] = grain;
  grain_id_next[to] = id;
  grain_tag_next[to] = tag;
  grain_row_next[to] = grain_row[from];
}
