#version 460
#extension GL_GOOGLE_include_directive : require
// A substep of explicit dynamics in one pass: springs and dampers (Cundall and Strack 1979) whose stiffness is tied to the substep,
// k = kappa m_eff / h^2, so that neither material nor mass ratio enters stability. A grain gathers from its own contacts; both sides
// of a contact compute the same numbers with opposite signs. In units of velocity: push is what the contact changes the relative
// velocity by in this substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer PairBlock { PairLaw pair_laws[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 5, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 7, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 9, scalar) buffer ShearBlock { vec3 contact_shear[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/finish.glsl"

Grain advance(uint i) {
  Grain grain = grains[i];
  vec3 p = grain.position.xyz, v = grain.velocity.xyz, change = vec3(0.0);
  float r = grain.position.w, w = grain.velocity.w, h = args.h;
  uint row = (grain_tag[i] & tag_material_mask) * (settings.materials + 1u);
  uint count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = contact_partner[slot];
    Contact c = contact_with(partner, i, p, r);
    vec3 shear = contact_shear[slot];
    float w_sum = w + c.inverse_mass;
    uint material = partner >= wall_partner ? settings.materials
                    : settings.materials > 1u ? grain_tag[partner] & tag_material_mask : 0u;
    PairLaw law = pair_laws[row + material];
    float kappa = dem_kappa, damping = 2.0 * dem_zeta * sqrt(dem_kappa);
    if ((settings.options & option_material_stiffness) != 0u) {  // softer than asked for where the substep bears no more
      kappa = min(h * h * law.stiffness * w_sum, dem_kappa);
      damping = law.damping >= 0.0 ? min(h * law.damping * w_sum, dem_damping_limit) : 2.0 * dem_zeta * sqrt(kappa);
    }
    // Adhesion holds over the cross-section of the smaller grain, until the spring is stretched to its force.
    float hold = h * w_sum * law.adhesion * pi * min(r, c.radius) * min(r, c.radius);
    if (c.gap >= (hold > 0.0 ? hold * h / kappa : 0.0) || !(w_sum > 0.0)) {
      if (shear != vec3(0.0))
        contact_shear[slot] = vec3(0.0);
      continue;
    }
    vec3 relative = v - c.velocity;
    float approach = dot(relative, c.normal);
    vec3 slip = relative - approach * c.normal;
    float push = max(-hold, -kappa * c.gap / h - damping * approach);
    shear = shear - dot(shear, c.normal) * c.normal - dem_tangential * kappa * slip;
    vec3 drag = shear - 0.5 * damping * slip;
    float drag_length = length(drag), grip = push + hold;
    if (drag_length > law.friction_static * grip) {
      drag *= law.friction_kinetic * grip / drag_length;
      shear = drag;
    }
    contact_shear[slot] = shear;
    change += w / w_sum * (push * c.normal + drag);
  }
  if (w > 0.0)
    v += change + h * settings.gravity;
  grain.position.xyz = p + h * v;
  grain.velocity.xyz = v;
  return grain;
}

void main() {
  uint i = element_index();
  bool alive = i < args.grains;
  Grain grain;
  if (alive)
    grain = advance(i);
  grain = finish(alive, i, grain);
  if (alive)
    grains_next[i] = grain;
}
