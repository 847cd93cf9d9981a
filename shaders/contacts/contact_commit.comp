#version 460
#extension GL_GOOGLE_include_directive : require
// The lists that were built take the place of the old ones.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 1, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartNextBlock { uint slice_start_next[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer StartBlock { uint slice_start[]; };
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  uint slice = i / slice_grains, room = world * settings.worlds.rows;
  if (i % slice_grains == 0u)
    slice_start[slice + world] = next_row(slice, world) - room;
  if (i + 1u == places_end(world))
    slice_start[slice + 1u + world] = next_row(slice + 1u, world) - room;
  grain_row[i] = i - world * settings.worlds.places;
  contact_count[i] = contact_count_next[i];
}
