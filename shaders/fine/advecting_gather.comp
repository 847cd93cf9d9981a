#version 460
#extension GL_GOOGLE_include_directive : require
// Coarse grains as fine ones see them, in the order of near cells and by number inside a cell: sums over them come out the same every
// time.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer OrderBlock { uint near_order[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer CarrierBlock { AdvectingGrain advecting[]; };
#include "shared/near.glsl"

void main() {
  uint k = element_index();
  if (k >= args.grains || k >= near_start[grid_cells(settings.near_grid.bits)])
    return;
  uint from = near_order[k], id = grain_id[from];
  Grain grain = grains[from];
  uint key = near_key(near_cell(grain.position.xyz));
  uint begin = near_start[key], end = near_start[key + 1u], to = begin;
  for (uint other = begin; other < end; ++other)
    to += grain_id[near_order[other]] < id ? 1u : 0u;
  float radius = grain.position.w, reach = near_reach * radius;
  bool solid = grain.velocity.w == 0.0 || (id >= settings.shapes.first && id < settings.emission.first);
  advecting[to] = AdvectingGrain(vec4(grain.position.xyz, 1.0 / (reach * reach)), vec4(grain.velocity.xyz, solid ? -radius : radius));
}
