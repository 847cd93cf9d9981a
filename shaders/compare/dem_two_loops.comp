#version 460
#extension GL_GOOGLE_include_directive : require
// dem without contact lists: first all contacts are found, then they are solved, in one pass (TWOLOOPSFUSED of Millard et al. 2023,
// section II-D). Without lists there is no memory. For comparison.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
#include "shared/space.glsl"
#define ONE_DIVISION true
#include "shared/contact_geometry.glsl"
#include "shared/dem_contact.glsl"
#include "shared/finish.glsl"

uint found[32], founds = 0u;
void respond_all() {
  for (uint k = 0u; k < founds; ++k)
    respond(found[k], vec3(0.0));
  founds = 0u;
}
void note(uint partner) {
  if (founds == 32u)
    respond_all();
  found[founds++] = partner;
}
#define FOUND(partner) note(partner)
#include "shared/contact_search.glsl"

Grain advance(uint i) {
  begin(i);
  search(i);
  respond_all();
  return end();
}

void main() {
  uint i = element_index();
  bool alive = i < args.grains;
  Grain after;
  if (alive)
    after = advance(i);
  after = finish(alive, i, after);
  if (alive)
    grains_next[i] = after;
}
