#version 460
#extension GL_GOOGLE_include_directive : require
// What contacts remember, of all rows, before the lists are built where they are: a grain's, under the row that it had.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) readonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 8, scalar) writeonly buffer FirstBlock { uint history_first[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer StashCountBlock { uint history_count[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer StashBlock { uint history[]; };
#include "shared/row.glsl"
#include "shared/rebuilt.glsl"
#include "shared/history_row.glsl"

void main() {
  uint i = rebuilt_place(element_index()), slot = 0u, end = 0u;
  bool there = i < args.grains;
  if (there) {
    uint row = world_of(i) * settings.worlds.places + grain_row[i], count = contact_count[row];
    if (count > 0u) {
      slot = contact_slot(row, 0u);
      end = slot + count * slice_grains;
    }
  }
  put_aside(there, i, slot, end);
}
