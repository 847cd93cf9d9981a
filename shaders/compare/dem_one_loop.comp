#version 460
#extension GL_GOOGLE_include_directive : require
// dem without contact lists: a contact is solved the moment the search finds it (ONELOOP of Millard et al. 2023, section II-D). Without
// lists there is no memory. For comparison.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 11, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
#include "shared/space.glsl"
#define ONE_DIVISION true
#include "shared/contact_geometry.glsl"
#include "shared/dem_contact.glsl"
#include "shared/finish.glsl"

// Functions, since the search has variables of its own by the names that these use.
void meet_grain(uint j) { meet(contact_with_grain(grains[j], j, self, grain.position.xyz, grain.position.w), j, true); }
void meet_other(uint partner) { meet(contact_with_other(partner, self, grain.position.xyz, grain.position.w), partner, false); }
#define FOUND_GRAIN(j) meet_grain(j)
#define FOUND(partner) meet_other(partner)
#include "shared/contact_search.glsl"

Grain advance(uint i) {
  begin(i);
  search(i);
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
  if (alive && rotating != rotation_off)
    grain_spin_next[i] = end_spin();
}
