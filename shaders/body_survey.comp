#version 460
#extension GL_GOOGLE_include_directive : require
// Where grains are: bodies need no marks elsewhere.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer TakenBlock { uint cell_taken[]; };
#include "shared/cell.glsl"
#include "shared/rebuilt.glsl"

shared int low[3];
shared int high[3];

void main() {
  uint i = rebuilt_place(element_index()), lane = gl_LocalInvocationID.x, world = world_of(min(i, args.grains - 1u));
  if (lane < 3u) {
    low[lane] = cells_none;
    high[lane] = -cells_none;
  }
  barrier();
  if (i < args.grains && grains[i].position.w > 0.0) {
    ivec3 cell = cell_of(grains[i].position.xyz, world);
    cell_taken[cell_key(cell, world)] = 1u;
    for (int a = 0; a < 3; ++a) {
      atomicMin(low[a], cell[a]);
      atomicMax(high[a], cell[a]);
    }
  }
  barrier();
  if (lane < 3u) {
    atomicMin(worlds[world].cells_low[lane], low[lane]);
    atomicMax(worlds[world].cells_high[lane], high[lane]);
  }
}
