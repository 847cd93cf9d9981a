#version 460
#extension GL_GOOGLE_include_directive : require
// Rows that were searched again take the place of the old ones, with what their contacts remember.
#include "shared/pass.glsl"
#include "shared/partner.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 2, scalar) buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 6, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerNextBlock { uint contact_partner_next[]; };
layout(set = 0, binding = 8, scalar) buffer ShearBlock { float contact_shear[]; };
layout(set = 0, binding = 9, scalar) buffer SumBlock { float contact_sum[]; };
layout(set = 0, binding = 10, scalar) buffer ShearNextBlock { float contact_shear_next[]; };
layout(set = 0, binding = 11, scalar) buffer SumNextBlock { float contact_sum_next[]; };
layout(set = 0, binding = 12, scalar) buffer ContactsBlock { uint body_contacts[]; };
#include "shared/slots.glsl"

layout(constant_id = 3) const uint with_rigid = 1u;  // constant_rigid

// Contacts of a row with dynamic bodies come (1) or go (~0).
void count_bodies(uint slot, uint end, uint step) {
  if (with_rigid == 0u || settings.rigid == 0u)
    return;
  for (; slot < end; slot += slice_grains) {
    uint partner = contact_partner[slot];
    if (partner >= body_partner && partner < wall_partner)
      atomicAdd(body_contacts[body_of(partner)], step);
  }
}

void main() {
  uint i = element_index();
  if (i >= args.grains || contact_count_next[i] == row_kept)
    return;
  uint first = slice_start[i / slice_grains] * slice_grains + i % slice_grains;
  uint old_end = first + contact_count[i] * slice_grains, end = first + contact_count_next[i] * slice_grains, next = first;
  bool shear = (settings.options & option_memory) != 0u, sum = (settings.options & option_impulses) != 0u;
  count_bodies(first, old_end, ~0u);
  for (uint slot = first; slot < end; slot += slice_grains) {
    // From behind the last one on, most contacts being in the same order as before.
    uint partner = contact_partner_next[slot], from = next;
    bool known = false;
    for (uint looked = first; looked < old_end && !known; looked += slice_grains) {
      from = next;
      next = next + slice_grains < old_end ? next + slice_grains : first;
      known = contact_partner[from] == partner;
    }
    if (shear) {
      vec3 remembered = known ? load_vec3(contact_shear, from) : vec3(0.0);
      store_vec3(contact_shear_next, slot, remembered);
    }
    if (sum) {
      vec4 remembered = known ? load_vec4(contact_sum, from) : vec4(0.0);
      store_vec4(contact_sum_next, slot, remembered);
    }
  }
  for (uint slot = first; slot < end; slot += slice_grains) {
    contact_partner[slot] = contact_partner_next[slot];
    if (shear) {
      vec3 remembered = load_vec3(contact_shear_next, slot);
      store_vec3(contact_shear, slot, remembered);
    }
    if (sum) {
      vec4 remembered = load_vec4(contact_sum_next, slot);
      store_vec4(contact_sum, slot, remembered);
    }
  }
  contact_count[i] = contact_count_next[i];
  count_bodies(first, end, 1u);
}
