#version 460
#extension GL_GOOGLE_include_directive : require
// Grains that emitters release at the end of this step. They lie behind all others until the next build sorts them.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) readonly buffer BirthsBlock { Birth births[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer CountBlock { uint contact_count[]; };

void main() {
  uint k = element_index();
  if (k >= args.births || status.halt != halt_none)
    return;
  Birth birth = births[args.first + k];
  uint i = args.grains + k;
  grains[i] = birth.grain;
  grain_id[i] = birth.id;
  grain_tag[i] = birth.tag;
  grain_row[i] = i;  // of the only world
  contact_count[i] = 0u;
}
