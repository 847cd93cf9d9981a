// Contacts that push by impulses: velocity time stepping (Francu and Moldoveanu 2014) and sequential positions, with a memory of how far
// they have slipped (docs/numerics.md). D = w_i + w_j; lambda = (lambda_t, lambda_n) is the impulse on the grain [N s].

// Impulse by which adhesion can pull in a substep: over the cross-section of the smaller grain, fading out over the gap.
LAW real impulse_adhesion_limit(real adhesion, real gap, real r_min, float h) {
  if (!anywhere(adhesion > 0.0f))
    return zero();
  real fade = clamp(2.0f - gap / (adhesion_reach * r_min), 0.0f, 1.0f);
  return select(adhesion > 0.0f, fade * h * adhesion * pi * r_min * r_min, zero());
}

// Contacts that may push in this substep share the grain's mass. fall: h |g| [m/s].
LAW mask impulse_near(Contact c, real3 relative, real r_min, float fall, float h) {
  return c.gap < max(h * (length(relative) + fall), contact_near * r_min);
}

// Impulse per residual: omega / D, less where a grain has more contacts than can push at once, and between masses that are very unequal.
// split: D of what the contacts of a grain have of its mass (Tonge et al. 2012). own_load, other_load: contacts that share each mass.
LAW real impulse_rate(real w, real other_w, real own_load, real other_load, bool grains_both, bool split, float omega) {
  real w_sum = w + other_w;
  PRECISE real w_shared = own_load * w + other_load * other_w;
  if (split)
    return omega / w_shared;
  real mass_ratio = grains_both ? abs(w - other_w) / w_sum : zero();
  return (1.0f - mass_ratio_share * mass_ratio) * omega / max(w_sum, w_shared / load_most);
}

// Does a contact with this impulse slide? It was at the edge of a friction cone when the last substep ended, and has not turned back
// since. Decided once a substep: within the iterations the pressure is not yet what it will be, and contacts that let go on that account
// keep a heap restless. The speed of the slip is no part of it: contacts that stick again as soon as they are slow enough stick and slip
// for ever.
LAW mask impulse_slides(Law law, real3 friction_impulse, real3 slip, real friction_limit, real w_sum) {
  real drag2 = dot(friction_impulse, friction_impulse), size = sqrt(drag2);
  mask at_edge = either(abs(size - law.friction_kinetic * friction_limit) <= 1e-4f * law.friction_kinetic * friction_limit,
                        size >= (1.0f - 1e-4f) * law.friction_static * friction_limit);
  return both(at_edge, dot(friction_impulse, slip) <= turned_back * w_sum * drag2);
}

// A tangential vector of a contact whose normal has turned: of the same length, unless little of it is left in the new plane.
LAW real3 impulse_turned(real3 t, real3 n) {
  real3 u = t - dot(t, n) * n;
  real before = dot(t, t), after = dot(u, u);
  return select(after > 0.0f, min(sqrt(before / after), 2.0f) * u, zero3());
}

// A contact that has pushed starts a substep with its impulse, of which `warm` is kept, its slip s, and the coefficient of friction
// of the substep. s is bounded where its pull reaches the friction cone, as a spring of k = k_s / (D h^2) would slip, and never reset while
// the contact is pressed, or heaps creep. relative: m/s, of the surfaces; w_sum: D; across: across_share.
LAW void impulse_warm_start(Contact c, Law law, real3 relative, real w_sum, real adhesion_limit, real across, float warm, bool memory, float h,
                        INOUT(real3, friction_impulse), INOUT(real, pressure), INOUT(real3, shear), INOUT(real, friction)) {
  real friction_limit = pressure + adhesion_limit;
  friction = law.friction_static;
  if (memory) {
    mask grips = friction_limit > friction_limit_least * adhesion_limit;
    real3 slip = relative - dot(relative, c.normal) * c.normal;
    friction = select(both(grips, impulse_slides(law, friction_impulse, slip, friction_limit, w_sum)), law.friction_kinetic, friction);
    real limit = friction * friction_limit * w_sum * h / (memory_share * across);
    shear = select(grips, on_cone(impulse_turned(shear, c.normal) + h * slip, limit, limit), zero3());
  }
  pressure = max(warm * pressure, -adhesion_limit);
  real limit = friction * (pressure + adhesion_limit);
  friction_impulse = on_cone(warm * impulse_turned(friction_impulse, c.normal), limit, limit);
}

// Residual r [m/s] of velocity time stepping: a gap may close, an overlap is taken out in part (gamma).
LAW real vts_residual(real approach, real gap, float gamma, float h) {
  return approach + select(gap < 0.0f, gamma, 1.0f) * gap / h;
}
// The residual of sequential positions, whose gaps are those of the positions so far.
LAW real sp_residual(real approach, real gap, float kv, float kc, float h) { return kv * approach + kc * gap / h; }

// Where friction falls as sliding begins, momentum that has overshot would slide on: the beta of an iteration without memory.
LAW real impulse_beta(Law law, real residual, real3 slip, real3 last_friction, real last_pressure, real beta) {
  mask overshot = both(law.friction_static != law.friction_kinetic, residual * last_pressure + dot(slip, last_friction) > 0.0f);
  return select(overshot, zero(), beta);
}

// An iteration: lambda follows its residual, with the momentum of the iteration before (`last`: Francu and Moldoveanu 2014, eq 37 and 38 with
// a plus: as printed it explodes). Pressure is projected on >= -hold, friction on Coulomb's disc.
//   lambda_n <- max(-hold, lambda_n - rate r + beta last_n);  lambda_t <- lambda_t - rate slip + beta last_t, |.| <= mu (lambda_n + hold)
LAW void impulse_iterate(real3 normal, real residual, real3 slip, real adhesion_limit, real rate, real across, real beta, real friction_static,
                         real friction_kinetic, real3 last_friction, real last_pressure, INOUT(real3, friction_impulse), INOUT(real, pressure)) {
  real3 start = friction_impulse + beta * last_friction;
  pressure = max(pressure + beta * last_pressure - rate * residual, -adhesion_limit);
  real friction_limit = pressure + adhesion_limit;
  friction_impulse = on_cone(start - dot(start, normal) * normal - rate * across * slip, friction_static * friction_limit, friction_kinetic * friction_limit);
}

// Rolling and twisting resistance, in the same form: lambda_r is an impulse [N s] at the surfaces, which times R_eff is the couple, and xi the
// way that they have rolled on each other (turn.h). Neither is turned with the normal.
LAW void impulse_warm_start_rolling(Turn t, Law law, real friction_limit, real adhesion_limit, real pressure, float warm, float memory, float h,
                                    INOUT(real3, rolling_impulse), INOUT(real3, roll)) {
  mask grips = friction_limit > friction_limit_least * adhesion_limit;
  real limit = law.rolling * friction_limit * t.ease_rolling * h / memory;
  roll = select(grips, on_cone(roll + h * t.rolling, limit, limit), zero3());
  real impulse_limit = law.rolling * (pressure + adhesion_limit);
  rolling_impulse = on_cone(warm * rolling_impulse, impulse_limit, impulse_limit);
}

//   lambda_r <- lambda_r - rate D / D_r (W + k_r xi / h) + beta last_r,  |.| <= mu_r (lambda_n + hold)
// rate: that of impulse_iterate; relaxation, memory: of the method, vts_rolling_relaxation, ..
LAW void impulse_iterate_rolling(Turn t, Law law, real3 roll, real friction_limit, real rate, real w_sum, float relaxation, float memory, real beta, float h,
                                 real3 last_rolling, INOUT(real3, rolling_impulse)) {
  real rolling_rate = select(t.ease_rolling > 0.0f, relaxation * rate * w_sum / t.ease_rolling, zero());
  real limit = law.rolling * friction_limit;
  rolling_impulse = on_cone(rolling_impulse + beta * last_rolling - rolling_rate * (t.rolling + memory / h * roll), limit, limit);
}
