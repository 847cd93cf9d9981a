#version 460
#extension GL_GOOGLE_include_directive : require
// What each grain adds to the report.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 9, scalar) readonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 10, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 17, scalar) readonly buffer KindBlock { ClumpKind clump_kinds[]; };
layout(set = 0, binding = 18, scalar) readonly buffer ClumpBlock { ClumpMotion clump_motions[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer MeasuresBlock { GrainMeasure measures[]; };
#define OVERLAP_MOST 1e30
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/triangle.glsl"
#include "shared/contact_force.glsl"
#include "shared/rotation.glsl"
#include "shared/laws/clump.h"
layout(constant_id = 8) const uint with_clumps = 1u;  // constant_clumps

// J, of the clump of which grain i is the first sphere.
float energy_of_clump(uint i) {
  ClumpKind kind = clump_kinds[grain_tag[i] >> tag_kind_shift];
  ClumpMotion clump = clump_motions[i];
  float size = grains[i].position.w;
  vec3 spin = clump_spin(clump.rotation.xyz, clump.rotation.w, clump.momentum, size * size * kind.inertia);
  return clump_energy(clump.velocity, spin, clump.momentum, kind.weight[0] / grains[i].velocity.w);
}

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  float r = grain.position.w, w = grain.velocity.w;
  GrainMeasure m = GrainMeasure(0u, 0.0, 0.0, 0.0, 0.0);
  float weights = weights_of(i, contact_count[i]);
  for (uint k = 0u; k < contact_count[i]; ++k) {
    uint partner = partner_at(i, contact_slot(i, k));
    float gap, radius = r, inverse_mass;
    if (with_cloth != 0u && is_triangle(partner)) {
      ClothTouch c = cloth_contact(i, partner);
      gap = c.gap;
      inverse_mass = inverse_mass_at(partner, c.weights);
    } else {
      Contact c = contact_with(partner, i, grain.position.xyz, r);
      gap = c.gap;
      radius = c.radius;
      inverse_mass = c.inverse_mass;
      m.force_max = max(m.force_max, force_of(i, contact_slot(i, k), c, weights));
    }
    if (gap < 0.0 && w + inverse_mass > 0.0) {  // fixed grains may lie in each other
      float penetration = -gap / min(r, radius);
      m.contacts += 1u;
      m.penetration_sum += penetration;
      m.penetration_max = max(m.penetration_max, penetration);
    }
  }
  m.kinetic_energy = w > 0.0 ? 0.5 * squared(grain.velocity.xyz) / w : 0.0;
  if (rotating != rotation_off && w > 0.0 && grain_spin[i].w > 0.0)  // I omega^2 / 2
    m.kinetic_energy += 0.5 * squared(grain_spin[i].xyz) / (grain_spin[i].w * w);
  uint sphere = with_clumps == 0u ? 0u : grain_tag[i] >> tag_sphere_shift & tag_sphere_mask;
  if (sphere > 0u && w > 0.0)
    m.kinetic_energy = sphere == 1u ? energy_of_clump(i) : 0.0;
  measures[i] = m;
}
