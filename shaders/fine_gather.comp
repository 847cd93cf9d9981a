#version 460
#extension GL_GOOGLE_include_directive : require
// Fine grains in the order of near cells, so that neighbouring threads read the same coarse grains; by number inside a cell. Places
// of those that are gone come last.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer OrderBlock { uint near_order[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer FineNextBlock { Grain fine_grains_next[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer TagNextBlock { uint fine_tag_next[]; };
layout(set = 0, binding = 7, scalar) readonly buffer ClearBlock { float fine_clear[]; };
layout(set = 0, binding = 8, scalar) writeonly buffer ClearNextBlock { float fine_clear_next[]; };
#include "shared/near.glsl"

void main() {
  uint k = element_index();
  if (k >= args.fine)
    return;
  if (k >= near_start[grid_cells(settings.near_bits)]) {
    fine_grains_next[k] = Grain(vec4(0.0), vec4(0.0));
    fine_tag_next[k] = 0u;
    fine_clear_next[k] = 0.0;
    return;
  }
  uint from = near_order[k], tag = fine_tag[from];
  Grain grain = fine_grains[from];
  uint key = near_key(near_cell(grain.position.xyz));
  uint begin = near_start[key], end = near_start[key + 1u], to = begin;
  for (uint other = begin; other < end; ++other)
    to += fine_tag[near_order[other]] >> fine_tag_shift < tag >> fine_tag_shift ? 1u : 0u;
  fine_grains_next[to] = grain;
  fine_tag_next[to] = tag;
  fine_clear_next[to] = fine_clear[from];
}
