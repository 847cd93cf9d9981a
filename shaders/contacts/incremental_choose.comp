#version 460
#extension GL_GOOGLE_include_directive : require
// Chooses the rows that are to be searched again: of grains that have a new place, of those that such a grain has left or come near to,
// and of those near which there may be surfaces of bodies that have moved.
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

// Several grains may want the same row.
void want(uint i) { atomicExchange(contact_count_next[i], row_wanted); }

uint first, end;  // slots of the grain that looks
void want_unless_listed(uint j) {
  for (uint slot = first; slot < end; slot += slice_grains)
    if (contact_partner[slot] == j)
      return;
  want(j);
}
#define INCREMENTAL
#define FOUND(partner) want_unless_listed(partner)
#include "shared/grain_search.glsl"

bool is_swept(uint i) {
  return settings.bodies.count > 0u && (cell_lists[head_at(cell_key(cell_of(list_position[i].xyz, 0u), 0u))] & cell_swept) != 0u;
}

bool has_new_place(uint i) { return list_position[i].w < 0.0 && (cell_lists[link_at(i)] & link_new) != 0u; }

// The rows that a new place changes. Two grains have each other in their rows, or neither.
void want_changed(uint i) {
  want(i);
  first = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
  end = first + contact_count[i] * slice_grains;
  search_grains(i);
  for (uint slot = first; slot < end; slot += slice_grains) {
    uint j = contact_partner[slot];
    if (j < triangle_partner && !near(i, j, list_position[i].xyz, grains[i].position.w))
      want(j);
  }
}

void main() {
  uint i = element_index();
  if (i >= args.grains || grains[i].position.w == 0.0 || too_many_displaced())
    return;
  if (is_swept(i))
    want(i);
  if (has_new_place(i))
    want_changed(i);
}
