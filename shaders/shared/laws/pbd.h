// The contact of position-based dynamics (Macklin et al. 2014; Sommer and Schwanecke 2022; docs/numerics.md): one constraint, contact and
// friction, on predicted positions. y: way of the grain relative to its partner since the start of the substep [m]; (P_t, P_n): the correction
// of the distance vector, summed over the substep [m].

// Does it overlap? once: friction afterwards is due, which takes all of the slip of what has pushed.
LAW mask pbd_touches(Contact c, real r, real pressure, real w, bool once) {
  mask touches = c.gap < -gap_least * min(r, c.radius);
  if (once)
    touches = either(touches, pressure > 0.0f);
  return both(touches, w + c.inverse_mass > 0.0f);
}

// Mass scaling: w exp(k z) at height z, of which only the ratio of the two matters: w_j as the grain sees it. k times the height of a pile may
// be up to 10: far beyond, shocks grow on their way up and throw its top off. down: the direction of gravity.
LAW real pbd_scaled(Contact c, real r, real3 down, float mass_scaling) {
  if (mass_scaling == 0.0f)
    return c.inverse_mass;
  real rise = (c.gap + r + c.radius) * dot(c.normal, down);
  return c.inverse_mass * exp(clamp(mass_scaling * rise, -60.0f, 60.0f));
}

// The load of a contact [m], by which it shares mass. Friction afterwards takes all of the slip at once: its parts must add up to 1, as the
// weights of the sums do, so that it leaves the overlap out.
LAW real pbd_bears(Contact c, real pressure, bool once) {
  real bears = contact_bears(c, pressure, zero());
  return once ? select(pressure > 0.0f, pressure, bears) : bears;
}

// The normal displacement [m] that bounds friction, times its coefficient: the sum of pushes (accumulated), the push of this iteration (pushed), or
// in the last iteration h^2 g, by which the grain's own weight pushes (after).
LAW real pbd_bound(Shares shares, real pressure, real pushed, bool accumulated, bool after, bool last, float h, float gravity) {
  if (after)
    return last ? h * h * shares.tangential * gravity : zero();
  return accumulated ? pressure : pushed;
}

// One iteration:
//   P_n <- P_n + A_n max(-C, 0);  P_t <- cone(P_t + A_t y_t).
// Friction is that of the sums (accumulated), or of this iteration alone. across: across_share. Returns what the distance vector changes by.
LAW real3 pbd_iterate(Contact c, Shares shares, real3 way, real across, Law law, bool accumulated, bool after, bool last, float h,
                      float gravity, INOUT(real3, friction_impulse), INOUT(real, pressure)) {
  real3 slip = way - dot(way, c.normal) * c.normal, before = zero3();
  real pushed = shares.normal * max(-c.gap, 0.0f);
  pressure = pressure + pushed;
  if (accumulated && !after)
    before = friction_impulse;
  real bound = pbd_bound(shares, pressure, pushed, accumulated, after, last, h, gravity);
  friction_impulse = on_cone(before - dot(before, c.normal) * c.normal + shares.tangential * across * slip, law.friction_static * bound,
                 law.friction_kinetic * bound);
  return pushed * c.normal - (friction_impulse - before);
}

// Stabilization: what takes a grain out of its partner at the start of a substep, times its weight in the mean of the grain's contacts. That
// is the mass at the contact, or the papers' 1 (plain), which is the same where partners are alike.
LAW real3 pbd_apart(Contact c, real w, bool plain, INOUT(real, weight)) {
  weight = plain ? 1.0f + zero() : 1.0f / weighed_w(c, w);
  return -(weight * w / (w + c.inverse_mass) * c.gap) * c.normal;
}
