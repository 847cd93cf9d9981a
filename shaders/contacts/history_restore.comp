#version 460
#extension GL_GOOGLE_include_directive : require
// What a contact remembers goes on in the new lists: found by the partner, under the row that it had in the old ones.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartNextBlock { uint slice_start_next[]; };
layout(set = 0, binding = 5, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 8, scalar) readonly buffer FirstBlock { uint history_first[]; };
layout(set = 0, binding = 9, scalar) readonly buffer StashCountBlock { uint history_count[]; };
layout(set = 0, binding = 10, scalar) readonly buffer StashBlock { uint history[]; };
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"

uint world;
#define NAME(partner) (is_grain(partner) ? grain_row[world * settings.worlds.places + partner] : partner)
#include "shared/restore_row.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains)
    return;
  world = world_of(i);
  uint slot = next_row(i / slice_grains, world) * slice_grains + i % slice_grains;
  restore(i, slot, slot + contact_count_next[i] * slice_grains);
}
