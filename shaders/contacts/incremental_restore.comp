#version 460
#extension GL_GOOGLE_include_directive : require
// Rows that were searched again get what their contacts remember.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) writeonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 8, scalar) readonly buffer FirstBlock { uint history_first[]; };
layout(set = 0, binding = 9, scalar) readonly buffer StashCountBlock { uint history_count[]; };
layout(set = 0, binding = 10, scalar) readonly buffer StashBlock { uint history[]; };
layout(set = 0, binding = 13, scalar) buffer ContactsBlock { uint body_contacts[]; };
#define NAME(partner) partner
#include "shared/restore_row.glsl"
#include "shared/incremental_bodies.glsl"
#include "shared/row.h"

void main() {
  uint i = element_index();
  if (i >= args.grains || contact_count_next[i] == row_kept)
    return;
  uint count = contact_count_next[i], slot = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
  if (is_unfit(count)) {  // it has no more than it remembers, until all lists are built in this substep
    count = history_count[i];
    for (uint k = 0u; k < count; ++k)
      contact_partner[slot + k * slice_grains] = history[history_at(history_first[i] + k)];
  }
  uint end = slot + count * slice_grains;
  restore(i, slot, end);
  contact_count[i] = count;
  count_bodies(slot, end, 1u);
}
