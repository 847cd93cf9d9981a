#version 460
#extension GL_GOOGLE_include_directive : require
// A grain that rests on others and is slow stays where it was.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { Grain grains_start[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 7, scalar) buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 8, scalar) readonly buffer SpinStartBlock { vec4 grain_spin_start[]; };
#include "shared/row.glsl"
#include "shared/laws/dialect.h"
#include "shared/laws/sleep.h"

bool slow(vec4 v, vec4 start) {
  return p2_sleeps(v.xyz, start.xyz, settings.solver.sleep_speed, args.h, length(settings.domain.gravity));
}

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  if (!(grain.velocity.w > 0.0) || !slow(grain.velocity, grains_start[i].velocity))
    return;
  if (rotating != rotation_off && !slow(grain_spin[i], grain_spin_start[i]))
    return;
  for (uint k = 0u; k < contact_count[i]; ++k) {
    uint slot = contact_slot(i, k);
    if (!is_triangle(contact_partner[slot]) && contact_state[normal_at(slot)] > 0.0) {
      grains[i].position = grains_start[i].position;
      grains[i].velocity.xyz = vec3(0.0);
      if (rotating != rotation_off)
        grain_spin[i].xyz = vec3(0.0);
      return;
    }
  }
}
