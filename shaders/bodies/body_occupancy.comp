#version 460
#extension GL_GOOGLE_include_directive : require
// Where grains are: there bodies mark the cells that they reach into; elsewhere they need no marks.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer TakenBlock { uint cell_taken[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { vec4 list_position[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer CellListBlock { uint cell_lists[]; };
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
    vec3 place = settings.grid.incremental != 0u ? list_position[i].xyz : grains[i].position.xyz;
    ivec3 cell = cell_of(place, world);
    uint key = cell_key(cell, world), words = body_words(settings.bodies.count);
    cell_taken[key] = 1u;
    for (uint word = key * words; word < (key + 1u) * words; ++word)
      cell_lists[word] = 0u;
    for (int a = 0; a < 3; ++a) {
      atomicMin(low[a], cell[a]);
      atomicMax(high[a], cell[a]);
    }
  }
  barrier();
  if (lane < 3u) {
    atomicMin(worlds[world].grid.low[lane], low[lane]);
    atomicMax(worlds[world].grid.high[lane], high[lane]);
  }
}
