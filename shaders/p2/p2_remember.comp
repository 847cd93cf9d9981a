#version 460
#extension GL_GOOGLE_include_directive : require
// Keeps how far a contact has slipped since it began to stick, and how far it has rolled. Both sides of a contact do the same arithmetic
// with opposite signs.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/laws/friction.h"
#include "shared/mass_share.glsl"
#include "shared/laws/p2.h"
#include "shared/laws/rolling.h"
#include "shared/turn.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  uint tag = grain_tag[i], count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (is_triangle(partner))
      continue;
    float normal = contact_state[normal_at(slot)];
    vec3 shear = load_vec3(contact_state, shear_at(slot));
    PairLaw law = law_of(tag, partner);
    if (!(normal > 0.0) && !(law.adhesion > 0.0)) {
      if (shear != vec3(0.0))
        store_vec3(contact_state, shear_at(slot), vec3(0.0));
      if (rotating == rotation_rolling)
        store_vec3(contact_state, roll_at(slot), vec3(0.0));
      continue;
    }
    Contact c = contact_with(partner, i, grain.position.xyz, grain.position.w);
    float w = grain.velocity.w, w_sum = w + c.inverse_mass, across = across_share(c, w);
    vec3 way = args.h * (grain.velocity.xyz - c.velocity);
    float adhesion_limit = p2_adhesion_limit(c, grain.position.w, way, law.adhesion, w_sum, partner >= body_partner, args.h);
    if (rotating != rotation_off) {
      Turn t = turn_with(partner, is_grain(partner), c, grain_spin[i], w, grain.position.w);
      way += args.h * turn_slip(c, t);
      across = w_sum / t.ease;
      if (rotating == rotation_rolling) {
        vec3 roll = p2_rolled(t, w_sum, load_vec3(contact_state, roll_at(slot)), normal, adhesion_limit, law, args.h);
        store_vec3(contact_state, roll_at(slot), roll);
      }
    }
    store_vec3(contact_state, shear_at(slot), p2_slipped(c, shear, way, normal, adhesion_limit, across, law));
  }
}
