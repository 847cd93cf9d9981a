#version 460
#extension GL_GOOGLE_include_directive : require
// Takes overlaps out at the start of a substep without turning them into speed (Macklin et al. 2014): contacts alone, positions of
// start and prediction moved together, so that the velocity stays.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/mass_share.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/pbd.h"

shared uint shift_bits;  // floats >= 0 sort as their bits

void main() {
  if (gl_LocalInvocationID.x == 0u)
    shift_bits = 0u;
  barrier();
  uint i = element_index();
  if (i < args.grains) {
    Grain grain = grains[i];
    float w = grain.velocity.w, weights = 0.0;
    vec3 correction = vec3(0.0);
    uint count = contact_count[i];
    for (uint k = 0u; k < count; ++k) {
      uint partner = partner_at(i, contact_slot(i, k));
      if (is_triangle(partner))
        continue;
      Contact c = contact_with(partner, i, grain.position.xyz, grain.position.w);
      if (c.gap >= 0.0 || !(w > 0.0))
        continue;
      float weight;
      correction += pbd_apart(c, w, settings.solver.plain_mean != 0u, weight);
      weights += weight;
    }
    if (weights > 0.0) {
      correction /= weights;
      grain.position.xyz += correction;
      atomicMax(shift_bits, floatBitsToUint(float(args.iterations) * length(correction)));  // over all such iterations
    }
    grains_next[i] = grain;
  }
  barrier();
  if (gl_LocalInvocationID.x == 0u && shift_bits > 0u)
    atomicMax(worlds[world_of(i)].motion.shift_bits, shift_bits);
}
