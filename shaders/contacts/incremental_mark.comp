#version 460
#extension GL_GOOGLE_include_directive : require
// Grains that are far from their place in the lists get a new one. Grains whose place is not the one that they were sorted by are linked
// to the cell that it is in. No row is to be searched again so far. Cells that grains have come to are known to body_clear and body_mark.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) buffer PlaceBlock { vec4 list_position[]; };
layout(set = 0, binding = 5, scalar) buffer CellListBlock { uint cell_lists[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer TakenBlock { uint cell_taken[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer CountNextBlock { uint contact_count_next[]; };
#include "shared/space.glsl"
#include "shared/cell.glsl"
#include "shared/cell_lists.glsl"

shared uint displaced_count;
shared uint linked;

// Where a grain gets its new place: it stays near it for longer where it is ahead.
vec3 place_ahead(Grain grain) {
  precise float speed2 = squared(grain.velocity.xyz), most = incremental_ahead_most * worlds[0].incremental.distance;
  precise float ahead = incremental_ahead * args.h, most2 = most * most, way2 = ahead * ahead * speed2;
  while (way2 > most2) {  // no quotient, no root: they may be off, and lead to another cell
    ahead *= 0.5;
    way2 = ahead * ahead * speed2;
  }
  precise vec3 place = grain.position.xyz + ahead * grain.velocity.xyz, edge = settings.domain.max - settings.domain.min;
  for (int a = 0; a < 3; ++a)
    if ((periodic_axes >> a & 1u) != 0u)
      place[a] = place[a] < settings.domain.min[a] ? place[a] + edge[a] : place[a] >= settings.domain.max[a] ? place[a] - edge[a] : place[a];
  return place;
}

void look_at(uint i) {
  Grain grain = grains[i];
  if (grain.position.w == 0.0)  // gone
    return;
  vec4 place = list_position[i];
  precise vec3 way = grain.position.xyz - place.xyz;
  precise float limit = worlds[0].incremental.distance * worlds[0].incremental.distance;
  bool displaced = squared(shortest(way)) > limit;
  if (!displaced && place.w > 0.0)
    return;
  if (displaced) {
    place = vec4(place_ahead(grain), -grain.position.w);
    list_position[i] = place;
    atomicAdd(displaced_count, 1u);
  }
  atomicAdd(linked, 1u);
  ivec3 cell = cell_of(place.xyz, 0u);
  uint key = cell_key(cell, 0u);
  cell_lists[link_at(i)] = atomicExchange(cell_lists[head_at(key)], i) | (displaced ? link_new : 0u);
  if (displaced && settings.bodies.count > 0u) {
    cell_taken[key] = 1u;
    for (int a = 0; a < 3; ++a) {
      atomicMin(worlds[0].grid.low[a], cell[a]);
      atomicMax(worlds[0].grid.high[a], cell[a]);
    }
  }
}

void main() {
  uint i = element_index(), lane = gl_LocalInvocationID.x;
  if (lane == 0u)
    displaced_count = linked = 0u;
  barrier();
  if (i < args.grains) {
    contact_count_next[i] = row_kept;
    look_at(i);
  }
  barrier();
  if (lane == 0u && displaced_count > 0u)
    atomicAdd(worlds[0].incremental.displaced, displaced_count);
  if (lane == 0u && linked > 0u)
    atomicAdd(worlds[0].incremental.linked, linked);
}
