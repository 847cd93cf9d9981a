// Normal force of a grain's contacts [N], as the last substep left them (Settings.force). Needs settings, grains, grain_tag, contact_sum,
// pair_laws and what a contact's geometry needs in scope.
#include "shared/pair_law.glsl"
#include "shared/dem_spring.glsl"

// Weight of a contact that has pressed so much in the mean over a grain's contacts.
float weight_of(float pressed, Contact c, float w) {
  if ((settings.options & option_plain_mean) != 0u)
    return 1.0;
  float carrying = settings.force == force_correction ? 2.0 * args.h * args.h * length(settings.gravity) : 0.0;
  return pressed / (pressed + carrying) / (w + (c.inverse_mass > 0.0 ? c.inverse_mass : w));
}

// What weights are shares of: all contacts together.
float weights_of(uint i, uint count) {
  if (settings.force < force_correction || settings.iteration == iteration_mass_splitting || settings.iteration == iteration_gauss_seidel)
    return 0.0;
  float weights = 0.0;
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    float pressed = load_w(contact_sum, slot);
    if (!is_triangle(partner) && pressed > 0.0)
      weights += weight_of(pressed, contact_with(partner, i, grains[i].position.xyz, grains[i].position.w), grains[i].velocity.w);
  }
  return weights;
}

float force_of(uint i, uint slot, Contact c, float weights) {
  uint partner = partner_at(i, slot);
  float w = grains[i].velocity.w, w_sum = w + c.inverse_mass, h = args.h;
  if (!(w_sum > 0.0))
    return 0.0;
  if (settings.force == force_spring) {
    if (c.gap >= 0.0)
      return 0.0;
    vec2 spring = spring_of(law_of(grain_tag[i], partner), partner < body_partner, c, w, grains[i].position.w);
    float approach = dot(grains[i].velocity.xyz - c.velocity, c.normal);
    return max(-spring.x * c.gap / h - spring.y * approach, 0.0) / (h * w_sum);
  }
  float pressed = load_w(contact_sum, slot);
  if (!(pressed > 0.0))
    return 0.0;
  if (settings.force == force_impulse)
    return pressed / h;
  float share = weights > 0.0 ? weight_of(pressed, c, w) / weights : 1.0;
  return share * (settings.force == force_displacement ? settings.sor : 1.0) * pressed / (h * h * w_sum);
}
