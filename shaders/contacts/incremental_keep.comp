#version 460
#extension GL_GOOGLE_include_directive : require
// Rows near bodies that have moved stay as they are where the bodies and walls that a search finds are those in the row. Most do: nine in ten of those
// near an excavator (scenes/site.toml, after 8 s).
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 1, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 4, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PlaceBlock { vec4 list_position[]; };
#include "shared/space.glsl"

uint slot = 0u, end = 0u;
bool same = true;
void meet(uint partner) {
  same = same && slot < end && contact_partner[slot] == partner;
  slot += slice_grains;
}
#define INCREMENTAL
#define FOUND(partner) meet(partner)
#include "shared/contact_search.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || contact_count_next[i] != row_touched || grains[i].position.w == 0.0)
    return;
  slot = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
  end = slot + contact_count[i] * slice_grains;
  while (slot < end && contact_partner[slot] < triangle_partner)
    slot += slice_grains;
  look_from(i);
  search_others(i);
  if (same && slot == end)
    contact_count_next[i] = row_kept;
}
