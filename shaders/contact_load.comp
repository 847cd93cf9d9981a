#version 460
#extension GL_GOOGLE_include_directive : require
// Number of contacts that each grain's mass is split among in this iteration (mass_splitting: Tonge et al. 2012): those that have
// borne something in this substep, and those that touch or are about to. Both sides of a contact read both numbers, so that momentum
// is kept.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 2, scalar) readonly buffer PairBlock { PairLaw pair_laws[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) readonly buffer SumBlock { float contact_sum[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer LoadBlock { uint contact_load[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/relative.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  uint load = 0u, tag = grain_tag[i], count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (is_triangle(partner))
      continue;
    bool counts = args.iteration > 0u && load_w(contact_sum, slot) > 0.0;
    if (!counts) {
      Contact c = contact_with(partner, i, grain.position.xyz, grain.position.w);
      vec3 way = args.h * (grain.velocity.xyz - c.velocity);
      counts = c.gap < load_reach * (grain.position.w + c.radius) ||
               adhesion_budget(c, partner, grain.position.w, way, law_of(tag, partner).adhesion, 1.0) > 0.0;
    }
    load += counts ? 1u : 0u;
  }
  contact_load[i] = load;
}
