#version 460
#extension GL_GOOGLE_include_directive : require
// Brings the sorted grains back under their own name. A copy, not a swap: only the device knows which worlds this substep sorts.
#include "shared/pass.glsl"

layout(set = 0, binding = 8, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 0, scalar) readonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 1, scalar) readonly buffer IdNextBlock { uint grain_id_next[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagNextBlock { uint grain_tag_next[]; };
layout(set = 0, binding = 3, scalar) readonly buffer RowNextBlock { uint grain_row_next[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer PlaceBlock { vec4 list_place[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains)
    return;
  grains[i] = grains_next[i];
  grain_id[i] = grain_id_next[i];
  grain_tag[i] = grain_tag_next[i];
  grain_row[i] = grain_row_next[i];
  if ((settings.options & option_mend) != 0u)
    list_place[i] = grains_next[i].position;
}
