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
layout(set = 0, binding = 11, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
#include "shared/space.glsl"
#define ONE_DIVISION true
#include "shared/contact_geometry.glsl"
#include "shared/dem_contact.glsl"
#include "shared/finish.glsl"

// A grain's partners, as many as there is room for: more are found by another search. In shared memory, since an array whose index is known at
// run time would fill registers.
const uint room = 16u;
shared uint found[room * group_size];
uint founds, from;  // partners so far, and those done by the searches before

void note(uint partner) {
  if (founds - from < room)  // wraps for those before
    found[(founds - from) * group_size + gl_LocalInvocationID.x] = partner;
  ++founds;
}
#define FOUND(partner) note(partner)
#include "shared/contact_search.glsl"

Grain advance(uint i) {
  begin(i);
  from = 0u;
  do {
    founds = 0u;
    search(i);
    for (uint k = from; k < min(founds, from + room); ++k) {
      uint partner = found[(k - from) * group_size + gl_LocalInvocationID.x];
      meet(contact_with(partner, i, grain.position.xyz, grain.position.w), partner, is_grain(partner));
    }
    from += room;
  } while (from < founds);
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
