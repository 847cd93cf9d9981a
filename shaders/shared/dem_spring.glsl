// The spring and the damper of a dem contact.

// Share of the greatest stiffness that a contact of two grains can have. What is heavy or fixed does not give way, so that a grain among
// such takes all of each spring and not half. And a large light grain has as many springs as small ones fit around it: those of equal
// density weigh too little to matter, but a hollow ball in sand would be shaken to pieces.
float share_of(float w, float r, float other_w, float other_r) {
  if (w == other_w && r == other_r)
    return 1.0;
  float w_sum = w + other_w, uneven = abs(w - other_w) / w_sum;
  float around = 0.5 * (1.0 + r / other_r), around_other = 0.5 * (1.0 + other_r / r);
  precise float crowd = (around * around * w + around_other * around_other * other_w) / w_sum;
  return (1.0 - uneven_share * uneven) / max(1.0, crowd);
}

// Shares of the overlap and of the approach that a contact takes out in a substep.
vec2 spring_of(PairLaw law, bool grains_both, Contact c, float w, float r) {
  float h = args.h, w_sum = w + c.inverse_mass;
  float share = grains_both && w_sum > 0.0 ? share_of(w, r, c.inverse_mass, c.radius) : 1.0;
  float kappa = share * dem_kappa, damping = share * (2.0 * dem_zeta * sqrt(dem_kappa));
  if ((settings.options & option_material_stiffness) != 0u) {  // softer than asked for where the substep bears no more
    kappa = min(h * h * law.stiffness * w_sum, share * dem_kappa);
    damping = law.damping >= 0.0 ? min(h * law.damping * w_sum, dem_damping_limit) : 2.0 * dem_zeta * sqrt(kappa);
  }
  return vec2(kappa, damping);
}
