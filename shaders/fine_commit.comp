#version 460
#extension GL_GOOGLE_include_directive : require
// As grid_commit, of fine grains.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer FineNextBlock { Grain fine_grains_next[]; };
layout(set = 0, binding = 1, scalar) readonly buffer TagNextBlock { uint fine_tag_next[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer ClearNextBlock { float fine_clear_next[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer ClearBlock { float fine_clear[]; };

void main() {
  uint i = element_index();
  if (i >= args.fine)
    return;
  fine_grains[i] = fine_grains_next[i];
  fine_tag[i] = fine_tag_next[i];
  fine_clear[i] = fine_clear_next[i];
}
