#version 460
#extension GL_GOOGLE_include_directive : require
// Contacts of each grain: the length of its list, and the rows of each slice, the length of its longest one.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 1, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer CountBlock { uint contact_count_next[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer WidthBlock { uint slice_width[]; };
#include "shared/space.glsl"

uint found = 0u;
#define FOUND(partner) ++found
#include "shared/contact_search.glsl"
#include "shared/rebuilt.glsl"
#include "shared/slice_width.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  bool there = i < args.grains;
  if (there) {
    search(i);
    contact_count_next[i] = found;
  }
  widen_slice(there, found);
}
