#version 460
#extension GL_GOOGLE_include_directive : require
// What a contact remembers moves from the old lists to the new: found by the partner, under the row that it had in the old ones.
#include "shared/pass.glsl"
#include "shared/partner.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 1, scalar) readonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 2, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer StartNextBlock { uint slice_start_next[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) buffer PartnerNextBlock { uint contact_partner_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer ShearBlock { float contact_shear[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SumBlock { float contact_sum[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer ShearNextBlock { float contact_shear_next[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer SumNextBlock { float contact_sum_next[]; };

#include "shared/row.glsl"
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  uint first = world * settings.places, row = first + grain_row[i], old = contact_slot(row, 0u);
  uint olds = contact_count[row], old_end = old + olds * slice_grains, next = old;
  uint count = contact_count_next[i], slot = next_row(i / slice_grains, world) * slice_grains + i % slice_grains;
  bool shear = (settings.options & option_memory) != 0u, sum = (settings.options & option_impulses) != 0u;
  for (uint k = 0u; k < count; ++k, slot += slice_grains) {
    uint partner = contact_partner_next[slot], from = old;
    if (is_grain(partner))
      partner = grain_row[first + partner];
    // From behind the last one on, most contacts being in the same order as before.
    bool known = false;
    for (uint looked = 0u; looked < olds && !known; ++looked) {
      from = next;
      next = next + slice_grains < old_end ? next + slice_grains : old;
      known = without_face(contact_partner[from]) == partner;
    }
    if (known && is_triangle(partner))
      contact_partner_next[slot] = contact_partner[from];
    if (shear) {
      vec3 remembered = known ? load_vec3(contact_shear, from) : vec3(0.0);
      store_vec3(contact_shear_next, slot, remembered);
    }
    if (sum) {
      vec4 remembered = known ? load_vec4(contact_sum, from) : vec4(0.0);
      store_vec4(contact_sum_next, slot, remembered);
    }
  }
}
