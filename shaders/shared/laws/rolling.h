// Rolling and twisting resistance of the methods that correct positions (p2, pbd; docs/numerics.md), in the form of their friction. h W [m]: the way
// that the surfaces roll on each other in the substep, both spins as they are so far (turn.h); P_r [m]: what resists it, summed over the substep.

// One iteration: P_r <- P_r + A D/D_r (h W + xi),  |.| <= limit.
// share: A, of two whole masses that the contact applies across its normal (mass_share.h); w_sum: D; roll: xi [m], of earlier substeps. Returns
// d_r, by which the contact turns both sides (turn_couple).
LAW real3 resist_rolling(Turn t, real share, real w_sum, real3 roll, real limit, float h, INOUT(real3, rolling)) {
  real rate = select(t.ease_rolling > 0.0f, share * w_sum / t.ease_rolling, zero());
  real3 sum = on_cone(rolling + rate * (h * t.rolling + roll), limit, limit);
  real3 change = rolling - sum;
  rolling = sum;
  return change;
}

// How far a contact has rolled since it began to stick, when a substep of p2 ends: xi <- xi + h W, |.| <= mu_r (P_n + hold) D_r/D, as p2_slipped, but
// not turned with the normal. pressure: P_n, or not_active.
LAW real3 p2_rolled(Turn t, real w_sum, real3 roll, real pressure, real adhesion_limit, Law law, float h) {
  real limit = law.rolling * (max(pressure, 0.0f) + adhesion_limit) * t.ease_rolling / w_sum;
  return select(either(pressure > 0.0f, adhesion_limit > 0.0f), on_cone(roll + h * t.rolling, limit, limit), zero3());
}
