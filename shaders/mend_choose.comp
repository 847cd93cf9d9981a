#version 460
#extension GL_GOOGLE_include_directive : require
// Chooses the rows that are to be searched again: there are grains in them that are too far away now, or others not in them that they may
// touch, or there may be surfaces of bodies that have moved.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PlaceBlock { vec4 list_place[]; };
layout(set = 0, binding = 10, scalar) readonly buffer HeadBlock { uint grid_head[]; };
layout(set = 0, binding = 11, scalar) readonly buffer LinkBlock { uint grid_link[]; };
#include "shared/space.glsl"
#include "shared/cell.glsl"
#include "shared/stale.glsl"

// Of the grain that looks.
float margin;
bool moves;
#define MENDED
#include "shared/may_touch.glsl"

bool is_outdated(uint i) {
  vec4 place = list_place[i];
  ivec3 home = cell_of(place.xyz, 0u);
  uint head = grid_head[cell_key(home, 0u)];
  if ((head & cell_swept) != 0u || (place.w < 0.0 && (grid_link[i] & link_new) != 0u))
    return true;
  if ((head & cell_marked) == 0u)
    return false;
  float radius = grains[i].position.w;
  margin = worlds[0].margin;
  moves = grains[i].velocity.w > 0.0;
  uint first = slice_start[i / slice_grains] * slice_grains + i % slice_grains, end = first + contact_count[i] * slice_grains;
  for (uint slot = first; slot < end; slot += slice_grains) {
    uint j = contact_partner[slot];
    if (j < triangle_partner && !near(i, j, place.xyz, radius))
      return true;
  }
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        for (uint j = grid_head[cell_key(wrapped(home + ivec3(x, y, z), 0u), 0u)] & link_mask; j != link_end; j = grid_link[j] & link_mask) {
          if ((grid_link[j] & link_new) == 0u || !near(i, j, place.xyz, radius))
            continue;
          bool listed = false;
          for (uint slot = first; slot < end && !listed; slot += slice_grains)
            listed = contact_partner[slot] == j;
          if (!listed)
            return true;
        }
  return false;
}

void main() {
  uint i = element_index();
  if (i < args.grains)
    contact_count_next[i] = grains[i].position.w > 0.0 && !too_many_stale() && is_outdated(i) ? row_wanted : row_kept;
}
