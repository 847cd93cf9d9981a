#version 460
#extension GL_GOOGLE_include_directive : require
// Grains that emitters release at the end of this step. They lie behind all others of their world until the next build sorts them; lists
// do not know them. A workgroup per world.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) readonly buffer BirthsBlock { Birth births[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PoursBlock { Pour pours[]; };
layout(set = 0, binding = 8, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };

void main() {
  uint world = group_index(), lane = gl_LocalInvocationID.x;
  if (world >= settings.worlds || status.halt != halt_none)
    return;
  Pour pour = pours[step_of_batch * settings.worlds + world];
  for (uint k = pour.first + lane; k < pour.end; k += group_size) {
    Birth birth = births[k];
    uint i = pour.place + (k - pour.first);
    grains[i] = birth.grain;
    grain_id[i] = birth.id;
    grain_tag[i] = birth.tag;
    grain_row[i] = i - world * settings.places;
    contact_count[i] = 0u;
  }
  if (lane == 0u && pour.end > pour.first) {
    worlds[world].speed = max(worlds[world].speed, settings.birth_speed);
    worlds[world].travel = lists_void;
  }
}
