#version 460
#extension GL_GOOGLE_include_directive : require
// What contacts remember, of rows that are to be searched again.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) readonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 8, scalar) writeonly buffer FirstBlock { uint history_first[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer StashCountBlock { uint history_count[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer StashBlock { uint history[]; };
layout(set = 0, binding = 13, scalar) buffer ContactsBlock { uint body_contacts[]; };
#include "shared/history_row.glsl"
#include "shared/row.h"
#include "shared/incremental_bodies.glsl"

void main() {
  uint i = element_index(), slot = 0u, end = 0u;
  bool wanted = i < args.grains && is_searched(contact_count_next[i]);
  if (wanted) {
    slot = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
    end = slot + contact_count[i] * slice_grains;
    count_bodies(slot, end, ~0u);
  }
  put_aside(wanted, i, slot, end);
}
