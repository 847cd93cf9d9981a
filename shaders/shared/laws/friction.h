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
//   s <- s - (s.n) n - k_t v_t;  f = s - c_t v_t;  |f| > mu_s q: f <- mu_k q f/|f|, s = f.
// slip: v_t, across the normal; friction_limit: q, what presses, at least 0; shear: s. Returns f, what both pull with. Squares are compared,
// since a contact that sticks needs neither root nor quotient then.
LAW real3 friction_of(INOUT(real3, shear), real3 normal, real3 slip, real stiffness, real damping, real friction_limit, Law law) {
  shear = shear - dot(shear, normal) * normal - stiffness * slip;
  real3 friction_impulse = shear - damping * slip;
  real pull2 = squared(friction_impulse), sticking = law.friction_static * friction_limit;
  mask slides = pull2 > sticking * sticking;
  if (anywhere(slides)) {
    friction_impulse = select(slides, (law.friction_kinetic * friction_limit / sqrt(pull2)) * friction_impulse, friction_impulse);
    shear = select(slides, friction_impulse, shear);
  }
  return friction_impulse;
}

// Rolling and twisting resistance, in the same form, of one spring for both (Iwashita and Oda 1998 have one for rolling):
//   xi <- xi - k_r W;  g = xi - c_r W;  |g| > mu_r q: g <- mu_r q g/|g|, xi = g.
// rolling: W (turn.h). Returns g: the couple is m_eff R_eff g / h.
LAW real3 rolling_of(INOUT(real3, roll), real3 rolling, real stiffness, real damping, real friction_limit, Law law) {
  roll = roll - stiffness * rolling;
  real3 couple = roll - damping * rolling;
  real pull2 = squared(couple), limit = law.rolling * friction_limit;
  mask rolls = pull2 > limit * limit;
  if (anywhere(rolls)) {
    couple = select(rolls, (limit / sqrt(pull2)) * couple, couple);
    roll = select(rolls, couple, roll);
  }
  return couple;
}
