#version 460
#extension GL_GOOGLE_include_directive : require
// contact_fill over linked neighbour lists. Their order is chance, so each row is sorted: a run repeats bit for bit.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 1, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SliceStartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 7, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer ContactsBlock { uint body_contacts[]; };
#include "shared/space.glsl"
#include "shared/next_row.glsl"
#include "shared/body_count.glsl"

uint first = 0u, slot = 0u;
void insert(uint partner, uint i) {
  uint at = slot, listed = in_lists(partner, i);
  for (; at > first && contact_partner[at - slice_grains] > listed; at -= slice_grains)
    contact_partner[at] = contact_partner[at - slice_grains];
  contact_partner[at] = listed;
  slot += slice_grains;
  count_contact(partner);
}
#define LINKED
#define FOUND(partner) insert(partner, i)
#include "shared/contact_search.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains)
    return;
  uint slice = i / slice_grains;
  slot = next_row(slice, world_of(i)) * slice_grains + i % slice_grains;
  first = slot;
  search(i);
  for (uint end = next_row(slice + 1u, world_of(i)) * slice_grains; slot < end; slot += slice_grains)
    contact_partner[slot] = no_partner;
}
