#version 460
#extension GL_GOOGLE_include_directive : require
// The contact lists: slots of 16 grains lie side by side (sliced ELL), so that neighbouring threads read neighbouring slots.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 1, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SliceStartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) buffer ContactsBlock { uint body_contacts[]; };
#include "shared/space.glsl"
#include "shared/next_row.glsl"
#include "shared/body_count.glsl"

uint slot = 0u;
#define FOUND(partner) contact_partner[slot] = in_lists(partner, i), slot += slice_grains, count_contact(partner)
#include "shared/contact_search.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains)
    return;
  uint slice = i / slice_grains;
  slot = next_row(slice, world_of(i)) * slice_grains + i % slice_grains;
  search(i);
  for (uint end = next_row(slice + 1u, world_of(i)) * slice_grains; slot < end; slot += slice_grains)
    contact_partner[slot] = no_partner;
}
