#version 460
#extension GL_GOOGLE_include_directive : require
// Sum of the weights by which the contacts of each grain share its mass (p2, pbd). mass_splitting (Tonge et al. 2012): in every
// iteration the number of contacts that have borne something in this substep, touch or are about to. Otherwise the weights of the first
// iteration, by overlap; equal parts would waste most on contacts that hardly touch. Both sides of a contact read both sums, so that
// momentum is conserved.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) readonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer WeightsBlock { float contact_weights[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/mass_share.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/p2.h"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  bool adheres = settings.solver.force == force_correction;  // p2
  bool split = settings.solver.iteration == iteration_mass_splitting;
  uint tag = grain_tag[i], count = contact_count[i];
  float w = grain.velocity.w, r = grain.position.w, weights = 0.0;
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (is_triangle(partner))
      continue;
    Contact c = contact_with(partner, i, grain.position.xyz, r);
    vec3 way = args.h * (grain.velocity.xyz - c.velocity);
    float adhesion_limit = adheres ? p2_adhesion_limit(c, r, way, law_of(tag, partner).adhesion, w + c.inverse_mass, partner >= body_partner, args.h) : 0.0;
    if (split)
      weights += takes_part(c, r, args.iteration > 0u ? contact_state[normal_at(slot)] : 0.0, adhesion_limit) ? 1.0 : 0.0;
    else
      weights += contact_weight(c, w, r, contact_bears(c, 0.0, adhesion_limit), args.h, length(settings.domain.gravity));
  }
  contact_weights[weights_at(i, args.iteration)] = weights;
}
