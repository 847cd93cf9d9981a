// Normal force of a grain's contacts [N], as the last substep left them (Settings.force). Needs settings, grains, grain_tag, contact_state,
// pair_laws and what a contact's geometry needs in scope.
#include "shared/pair_law.glsl"
#include "shared/dem_spring.glsl"
#include "shared/mass_share.glsl"

// Contacts that press, where the mean of them is taken; else 0.
float weights_of(uint i, uint count) {
  float weights = 0.0;
  if (settings.solver.force >= force_correction && by_mean())
    for (uint k = 0u; k < count; ++k) {
      uint slot = contact_slot(i, k);
      weights += !is_triangle(partner_at(i, slot)) && contact_state[normal_at(slot)] > 0.0 ? 1.0 : 0.0;
    }
  return weights;
}

float force_of(uint i, uint slot, Contact c, float weights) {
  uint partner = partner_at(i, slot);
  float w = grains[i].velocity.w, w_sum = w + c.inverse_mass, h = args.h;
  if (!(w_sum > 0.0))
    return 0.0;
  if (settings.solver.force == force_spring) {
    if (c.gap >= 0.0)
      return 0.0;
    DemSpring spring = spring_of(law_of(grain_tag[i], partner), partner < body_partner, c, w, grains[i].position.w);
    return dem_force(c, spring, grains[i].velocity.xyz, w_sum, h);
  }
  float pressed = contact_state[normal_at(slot)];
  if (!(pressed > 0.0))
    return 0.0;
  if (settings.solver.force == force_impulse)
    return pressed / h;
  float share = weights > 0.0 ? 1.0 / weights : 1.0;
  return share * (settings.solver.force == force_displacement && !by_weight() ? settings.solver.sor : 1.0) * pressed / (h * h * w_sum);
}
