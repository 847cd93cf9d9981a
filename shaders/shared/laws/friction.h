// Coulomb friction (docs/numerics.md).

// v, or what Coulomb's law leaves of it where the contact bears no more.
LAW real3 on_cone(real3 v, real sticking, real sliding) {
  real size = length(v);
  return select(size > sticking, (sliding / size) * v, v);
}

// v turned with the contact into the plane across n: its part along n goes, its length stays.
LAW real3 turned(real3 v, real3 n) {
  real3 across = v - dot(v, n) * n;
  real left = length(across);
  return select(left > 0.0f, (length(v) / left) * across, zero3());
}

// A spring and a damper across the normal, which slide where they pull harder than friction bears (Cundall and Strack 1979):
//   s <- s - (s.n) n - kappa k_t v_t;  f = s - c/2 v_t;  |f| > mu_s q: f <- mu_k q f/|f|, s = f.
// slip: v_t, across the normal; grip: q, what presses; shear: s. Returns f, what both pull with.
LAW real3 friction_of(INOUT(real3, shear), real3 normal, real3 slip, real kappa, real damping, real friction_limit, Law law) {
  shear = shear - dot(shear, normal) * normal - (dem_tangential * kappa) * slip;
  real3 friction_impulse = shear - (0.5f * damping) * slip;
  real pull = length(friction_impulse);
  mask slides = pull > law.friction_static * friction_limit;
  friction_impulse = select(slides, (law.friction_kinetic * friction_limit / pull) * friction_impulse, friction_impulse);
  shear = select(slides, friction_impulse, shear);
  return friction_impulse;
}
