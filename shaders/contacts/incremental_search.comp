#version 460
#extension GL_GOOGLE_include_directive : require
// Rows that are wanted are searched again where they are, no more than they have room for: grains by number, since those that are linked
// come in any order. Rows that are touched keep their grains, which stand before bodies and walls, and are put into the same order.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 1, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 3, scalar) readonly buffer ListedCountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 6, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) buffer CountBlock { uint contact_count_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PlaceBlock { vec4 list_position[]; };
layout(set = 0, binding = 10, scalar) buffer ActivityBlock { SliceActivity slice_activity[]; };
#include "shared/space.glsl"

uint first = 0u, slot = 0u, end = 0u, found = 0u;
void insert(uint partner) {
  ++found;
  if (slot == end)
    return;
  uint at = slot;
  if (partner < triangle_partner)
    for (; at > first && contact_partner[at - slice_grains] > partner; at -= slice_grains)
      contact_partner[at] = contact_partner[at - slice_grains];
  contact_partner[at] = partner;
  slot += slice_grains;
}
#define INCREMENTAL
#define FOUND(partner) insert(partner)
#include "shared/contact_search.glsl"
#include "shared/row.h"

void keep_grains(uint i) {
  for (uint last = first + contact_count[i] * slice_grains; slot < last && contact_partner[slot] < triangle_partner;)
    insert(contact_partner[slot]);
}

void main() {
  uint i = element_index();
  if (i >= args.grains || !is_searched(contact_count_next[i]))
    return;
  if (worlds[0].lists.history > set_aside_most(worlds[0].lists.slots)) {
    atomicAdd(worlds[0].incremental.unfit, 1u);
    contact_count_next[i] = row_kept;
    return;
  }
  uint slice = i / slice_grains;
  first = slot = slice_start[slice] * slice_grains + i % slice_grains;
  end = slice_start[slice + 1u] * slice_grains + i % slice_grains;
  if (grains[i].position.w > 0.0) {
    look_from(i);
    if (contact_count_next[i] == row_touched)
      keep_grains(i);
    else
      search_grains(i);
    search_others(i);
  }
  if (sleeping != 0u)  // a body may have come near a sleeper
    atomicOr(slice_activity[slice].watched, 1u);
  bool fits = found * slice_grains <= end - first;
  contact_count_next[i] = fits ? found : row_unfit + found;
  if (fits)
    return;
  atomicAdd(worlds[0].incremental.unfit, 1u);
  for (slot = first; slot < end; slot += slice_grains)  // which ones are in it is chance
    contact_partner[slot] = no_partner;
}
