#version 460
#extension GL_GOOGLE_include_directive : require
// Rows of each slice: the longest list of its grains.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 0, scalar) readonly buffer CountBlock { uint contact_count_next[]; };
layout(set = 0, binding = 1, scalar) writeonly buffer WidthBlock { uint slice_width[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint slice = element_index();
  uint begin = rebuilt_place(slice * slice_grains), end = min(begin + slice_grains, args.grains);
  if (begin >= args.grains)
    return;
  uint width = 0u;
  for (uint i = begin; i < end; ++i)
    width = max(width, contact_count_next[i]);
  slice_width[slice] = width;
}
