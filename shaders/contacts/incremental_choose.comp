#version 460
#extension GL_GOOGLE_include_directive : require
// Chooses the rows that are to be searched again: of grains that have a new place, and of those that such a grain has left or come near to.
// body_mark has chosen those near surfaces of bodies that have moved.
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
#include "shared/displaced.glsl"
#include "shared/want_row.glsl"

uint first, end;  // slots of the grain that looks
void want_unless_listed(uint j) {
  for (uint slot = first; slot < end; slot += slice_grains)
    if (contact_partner[slot] == j)
      return;
  want_row(j);
}
#define INCREMENTAL
#define FOUND(partner) want_unless_listed(partner)
#include "shared/grain_search.glsl"

bool has_new_place(uint i) { return list_position[i].w < 0.0 && (cell_lists[link_at(i)] & link_new) != 0u; }

// The rows that a new place changes. Two grains have each other in their rows, or neither.
void want_changed(uint i) {
  want_row(i);
  first = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
  end = first + contact_count[i] * slice_grains;
  look_from(i);
  search_grains(i);
  for (uint slot = first; slot < end; slot += slice_grains) {
    uint j = contact_partner[slot];
    if (j < triangle_partner && !near(i, j, list_position[i].xyz, grains[i].position.w))
      want_row(j);
  }
}

void main() {
  uint i = element_index();
  if (i >= args.grains || grains[i].position.w == 0.0 || too_many_displaced())
    return;
  if (has_new_place(i))
    want_changed(i);
}
