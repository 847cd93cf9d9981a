#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_rank, of fine grains: by near cells, so that neighbouring threads read the same coarse grains, and by number inside a cell.
// Places of those that are gone come last.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer OrderBlock { uint near_order[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer FromBlock { uint near_from[]; };
#include "shared/near.glsl"

void main() {
  uint k = element_index();
  if (k >= args.fine.places)
    return;
  if (k >= near_start[grid_cells(settings.near_grid.bits)]) {
    near_from[k] = no_grain;
    return;
  }
  uint from = near_order[k], tag = fine_tag[from];
  uint key = near_key(near_cell(fine_grains[from].position.xyz));
  uint begin = near_start[key], end = near_start[key + 1u], to = begin;
  for (uint other = begin; other < end; ++other)
    to += fine_tag[near_order[other]] >> fine_tag_shift < tag >> fine_tag_shift ? 1u : 0u;
  near_from[to] = from;
}
