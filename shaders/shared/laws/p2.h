// The contact of Parallel Particles (Holz 2014, sections 5 to 7; docs/numerics.md). y: way of the grain relative to its partner since the start
// of the substep [m]; (P_t, P_n): the correction of the distance vector, summed over the substep [m], whose tangential part also has what
// adhesion pulls along the normal.

// Gap at the start of the substep. plane: the partner is one for the length of a substep, and not a grain.
LAW real gap_at_start(Contact c, real r, real3 way, bool plane) {
  if (plane)
    return c.gap - dot(way, c.normal);
  return length((c.gap + r + c.radius) * c.normal - way) - (r + c.radius);
}

// How far adhesion may take two back in the substep: pressure a times the area of contact (eq 36),
//   hold = h^2 D a pi (r^2 - (r - d)^2),  d: the overlap at the start, r: the smaller radius.
// The area is that at the start, since that decides what pulling the two apart takes; it stays the same over the iterations.
LAW real p2_adhesion_limit(Contact c, real r, real3 way, real adhesion, real w_sum, bool plane, float h) {
  if (!anywhere(adhesion > 0.0f))
    return zero();
  real r_min = min(r, c.radius), overlap = min(max(-gap_at_start(c, r, way, plane), 0.0f), r_min);
  return select(adhesion > 0.0f, h * h * w_sum * adhesion * pi * overlap * (2.0f * r_min - overlap), zero());
}

// Is the contact active? From its first overlap, or as adhesion holds, to the end of the substep: what equals implicit Euler. pressure: P_n, or
// not_active.
LAW mask p2_active(Contact c, real pressure, real adhesion_limit, real w_sum) {
  return both(w_sum > 0.0f, either(either(pressure >= 0.0f, c.gap <= 0.0f), adhesion_limit > 0.0f));
}

// Shares e kt and e ct of the overlap and of the approach that one of n iterations corrects.
struct Relaxation {
  real overlap, approach;
};

// One iteration:
//   P_n <- max(0, P_n - A_n (e kt C + e ct y_n))
//   P_t <- cone(P_t + A_t (y_t + s)),  |.| <= mu P_n + hold
//   P_a <- clamp(P_a + change of P_n + A_n y_n, 0, hold),  along the normal.
// slipped: s [m], of earlier substeps, with memory. across: across_share. Returns what the distance vector changes by.
LAW real3 p2_iterate(Contact c, Relaxation relax, Shares shares, real3 way, bool memory, real3 slipped, real adhesion_limit, real across, Law law,
                     INOUT(real3, friction_impulse), INOUT(real, pressure)) {
  real approach = dot(way, c.normal);
  real normal = max(zero(), pressure - shares.normal * (relax.overlap * c.gap + relax.approach * approach));
  real pushed = normal - pressure, held = dot(friction_impulse, c.normal);
  real3 slip = way - approach * c.normal;
  if (memory)
    slip = slip + turned(slipped, c.normal);
  real3 sum = on_cone(friction_impulse - held * c.normal + shares.tangential * across * slip, law.friction_static * normal + adhesion_limit,
                      law.friction_kinetic * normal + adhesion_limit);
  real adhesion = min(max(held + pushed + shares.normal * approach, 0.0f), adhesion_limit);
  sum = sum + select(adhesion_limit > 0.0f, adhesion, zero()) * c.normal;
  real3 change = pushed * c.normal - (sum - friction_impulse);
  friction_impulse = sum;
  pressure = normal;
  return change;
}

// Error reduction: the part of a change that falls to the grain (eq 37). Of two grains the upper one, whose normal points against gravity,
// moves as if the lower one were heavier. Weighted, so that both parts always add up to the whole change. Shocks grow on their way up by it:
// 0.5 throws a stack of 50 apart at 60 Hz, and holds ten layers. down: the direction of gravity.
LAW real p2_part(Contact c, real w, real3 down, float error_reduction) {
  real lean = error_reduction * dot(c.normal, down);
  real own = w * (1.0f - lean), other = c.inverse_mass * (1.0f + lean);
  return select(c.inverse_mass > 0.0f, own / (own + other), 1.0f);
}
// Mass that a body feels: its impulse [N s] per change of the distance vector [m] and 1/h.
LAW real p2_mass(Contact c, real w, real part) { return select(w > 0.0f, part / w, 1.0f / c.inverse_mass); }

// How far a contact has slipped since it began to stick, when the substep ends: s <- cone(s turned + y_t), |.| <= (mu P_n + hold) / across.
// Friction brings that back in the next substep, so that a heap does not creep by what the iterations leave over. Scaled to the cone, and not
// reset while the contact is pressed or held: sliding stays exact Coulomb. pressure: P_n, or not_active.
LAW real3 p2_slipped(Contact c, real3 slipped, real3 way, real pressure, real adhesion_limit, real across, Law law) {
  real friction_limit = max(pressure, 0.0f) / across, held = adhesion_limit / across;
  real3 slip = turned(slipped, c.normal) + way - dot(way, c.normal) * c.normal;
  real3 bounded = on_cone(slip, law.friction_static * friction_limit + held, law.friction_kinetic * friction_limit + held);
  return select(either(pressure > 0.0f, adhesion_limit > 0.0f), bounded, zero3());
}
