#version 460
#extension GL_GOOGLE_include_directive : require
// The lists that were built take the place of the old ones, now that nothing needs those any more.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 1, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartNextBlock { uint slice_start_next[]; };
layout(set = 0, binding = 3, scalar) readonly buffer PartnerNextBlock { uint contact_partner_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer ShearNextBlock { float contact_shear_next[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SumNextBlock { float contact_sum_next[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer RowBlock { uint grain_row[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 8, scalar) writeonly buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer ShearBlock { float contact_shear[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer SumBlock { float contact_sum[]; };

#include "shared/next_row.glsl"
#include "shared/slots.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  uint slice = i / slice_grains, begin = next_row(slice, world), end = next_row(slice + 1u, world), room = world * settings.rows;
  if (i % slice_grains == 0u)
    slice_start[slice + world] = begin - room;
  if (i + 1u == places_end(world))
    slice_start[slice + 1u + world] = end - room;
  grain_row[i] = i - world * settings.places;
  contact_count[i] = contact_count_next[i];
  bool shear = (settings.options & option_memory) != 0u, sum = (settings.options & option_impulses) != 0u;
  uint last = end * slice_grains;
  for (uint slot = begin * slice_grains + i % slice_grains; slot < last; slot += slice_grains) {
    contact_partner[slot] = contact_partner_next[slot];
    if (shear) {
      vec3 next = load_vec3(contact_shear_next, slot);
      store_vec3(contact_shear, slot, next);
    }
    if (sum) {
      vec4 next = load_vec4(contact_sum_next, slot);
      store_vec4(contact_sum, slot, next);
    }
  }
}
