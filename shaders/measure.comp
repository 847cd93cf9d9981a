#version 460
#extension GL_GOOGLE_include_directive : require
// What each grain adds to the report.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer MeasuresBlock { GrainMeasure measures[]; };
#define OVERLAP_MOST 1e30
#include "shared/space.glsl"
#include "shared/contact_row.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  float r = grain.position.w, w = grain.velocity.w;
  GrainMeasure m = GrainMeasure(0u, 0.0, 0.0, 0.0);
  for (uint k = 0u; k < contact_count[i]; ++k) {
    Contact c = contact_with(contact_partner[contact_slot(i, k)], i, grain.position.xyz, r);
    if (c.gap < 0.0 && w + c.inverse_mass > 0.0) {  // fixed grains may lie in each other
      float penetration = -c.gap / min(r, c.radius);
      m.contacts += 1u;
      m.penetration_sum += penetration;
      m.penetration_max = max(m.penetration_max, penetration);
    }
  }
  m.kinetic_energy = w > 0.0 ? 0.5 * squared(grain.velocity.xyz) / w : 0.0;
  measures[i] = m;
}
