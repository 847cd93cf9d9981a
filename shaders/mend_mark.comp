#version 460
#extension GL_GOOGLE_include_directive : require
// Grains that are far from their place in the lists get a new one. Cells around either are marked: what has rows there may have other
// neighbours now. Grains whose place is not the one that they were sorted by are linked to the cell that it is in.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) buffer PlaceBlock { vec4 list_place[]; };
layout(set = 0, binding = 5, scalar) buffer HeadBlock { uint grid_head[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer LinkBlock { uint grid_link[]; };
#include "shared/space.glsl"
#include "shared/cell.glsl"

shared uint stales;
shared uint linked;

void mark(ivec3 home) {
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        atomicOr(grid_head[cell_key(wrapped(home + ivec3(x, y, z), 0u), 0u)], cell_marked);
}

// Where a grain gets its new place: it stays near it for longer where it is ahead.
vec3 place_ahead(Grain grain) {
  precise float speed2 = squared(grain.velocity.xyz), most = mend_ahead_most * worlds[0].stale_way;
  precise float ahead = mend_ahead * args.h, most2 = most * most, way2 = ahead * ahead * speed2;
  while (way2 > most2) {  // no quotient, no root: they may be off, and lead to another cell
    ahead *= 0.5;
    way2 = ahead * ahead * speed2;
  }
  precise vec3 place = grain.position.xyz + ahead * grain.velocity.xyz, edge = settings.domain_max - settings.domain_min;
  for (int a = 0; a < 3; ++a)
    if ((periodic_axes >> a & 1u) != 0u)
      place[a] = place[a] < settings.domain_min[a] ? place[a] + edge[a] : place[a] >= settings.domain_max[a] ? place[a] - edge[a] : place[a];
  return place;
}

void look_at(uint i) {
  Grain grain = grains[i];
  if (grain.position.w == 0.0)  // gone
    return;
  vec4 place = list_place[i];
  precise vec3 way = grain.position.xyz - place.xyz;
  precise float limit = worlds[0].stale_way * worlds[0].stale_way;
  bool stale = squared(shortest(way)) > limit;
  if (!stale && place.w > 0.0)
    return;
  ivec3 before = cell_of(place.xyz, 0u);
  if (stale)
    place = vec4(place_ahead(grain), -grain.position.w);
  list_place[i] = place;
  ivec3 now = cell_of(place.xyz, 0u);
  if (stale) {
    if (before != now)
      mark(before);
    mark(now);
    atomicAdd(stales, 1u);
  }
  atomicAdd(linked, 1u);
  uint key = cell_key(now, 0u), other = atomicExchange(grid_head[key], i);
  grid_link[i] = (other & link_mask) | (stale ? link_new : 0u);
  if ((other & ~link_mask) != 0u)  // which the exchange took away
    atomicOr(grid_head[key], other & ~link_mask);
}

void main() {
  uint i = element_index(), lane = gl_LocalInvocationID.x;
  if (lane == 0u)
    stales = linked = 0u;
  barrier();
  if (i < args.grains)
    look_at(i);
  barrier();
  if (lane == 0u && stales > 0u)
    atomicAdd(worlds[0].stale, stales);
  if (lane == 0u && linked > 0u)
    atomicAdd(worlds[0].linked, linked);
}
