// The contact of dem by Hertz and Mindlin (solver.contact = "hertz"), as a spring of dem.h whose stiffness follows the overlap delta = -C.
// With the contact radius a = sqrt(R* delta), where 1/R* = 1/r_i + 1/r_j, and R* = r on a wall or a body, whose curvature is left out:
//   normal force F = 4/3 E* a delta, its tangent S = 2 E* a (Hertz 1882); tangential stiffness 8 G* a without slip (Mindlin 1949);
//   damping 2 sqrt(5/6) beta sqrt(m_eff S) v_n. With that dependence on delta the restitution does not depend on the speed (Tsuji, Tanaka and
//   Ishida 1992), and delta^(5/4) is a damped linear oscillator of damping ratio beta (Antypov and Elliott 2011).
// The force never pulls. PairLaw has E* (stiffness), 8 G* / (2 E*) (tangential), beta (rebound_ratio), and the greatest S m_eff / h^2 that a
// bed bears (rebound_kappa; engine/scene/hertz.h).

// In units of velocity: what the forces of overlap, slip and approach change the relative velocity by in a substep. grains_both: the partner
// has a curvature of its own. share: dem_share. With x what the damping would take of the approach at its rate at the start of the substep,
// it takes x / (1 + x/4): to the second order of the substep the restitution is then that of continuous time, because an explicit step also
// makes the spring stiffer by the factor 1 + x/2.
LAW DemSpring hertz_spring(Contact c, real r, real w_sum, real share, Law law, bool grains_both, float h) {
  real reduced_radius = grains_both ? r * c.radius / (r + c.radius) : r;
  real contact_radius = sqrt(reduced_radius * max(-c.gap, 0.0f));
  real tangent = min(2.0f * h * h * law.stiffness * w_sum * contact_radius, share * law.rebound_kappa);
  real x = hertz_damping * law.rebound_ratio * sqrt(tangent), across = x * sqrt(law.tangential);
  DemSpring spring;
  spring.kappa = 2.0f / 3.0f * tangent;
  spring.damping = x / (1.0f + 0.25f * x);
  spring.damping_across = across / (1.0f + 0.25f * across);
  spring.tangential = 1.5f * law.tangential;
  spring.tangential_damping = 1.0f + zero();
  return spring;
}

// The spring across the normal, or against rolling, at the start of a substep. While the two part, it falls with the contact radius, as no
// slip is undone by it; while they approach, slip alone changes it. Otherwise a closed path of overlap and slip would yield energy (Thornton,
// Cummins and Cleary 2013). The overlap of the last substep follows from the velocity, by which both moved in it.
LAW real3 hertz_unloaded(Contact c, real approach, float h, real3 spring) {
  real before = h * approach - c.gap;
  mask parts = both(approach > 0.0f, before > 0.0f);
  return select(parts, sqrt(max(-c.gap, 0.0f) / before) * spring, spring);
}
