// Restitution e that is given: two that meet with v_n part with -e v_n, whatever the phase of the substep in which they meet
// (docs/numerics.md). PairLaw holds what the host chose for e (engine/scene/restitution.h).
//
// dem. With y = C/h, kappa and D the spring's: a step inside the contact, v' = v - kappa y - D v, y' = y + v', keeps
// Q = v^2 + kappa y^2 - kappa v y where D = 0. A substep in which the contact closes or opens is solved for the v' that keeps the energy,
// v^2 outside and Q inside, and takes the damping of the part of it in which the contact is closed:
//   closes, y >= 0 > y + v:               u = sqrt(v^2 - kappa (1 - kappa/4) y^2),  part = 1 + y/v,  v' = -(u + kappa y/2) - part D v
//   opens,  y < 0 <= v + (1 - kappa) y:   u = sqrt(v^2 + kappa y^2 - kappa v y),    part = -y/u,     v' = max(v, u - part D v)
// So e never exceeds 1. Forces that start and end with whole substeps give e of .64 to .85 with dem's own damping. The spring and the
// damper across the normal act for the same part. A pair that adheres has no end of its contact at C = 0, and takes kappa and D alone.

// Do the two touch within the substep, which do not yet?
LAW mask rebound_closes(Contact c, real approach, real adhesion_limit, Law law, float h) {
  return both(both(law.rebound_ratio >= 0.0f, adhesion_limit == 0.0f), both(c.gap >= 0.0f, c.gap + h * approach < 0.0f));
}

// The change of the approach v_n by the contact [m/s]; elastic: that of a contact which is closed all the time. part: of the substep, in
// which this one is.
LAW real rebound_push(Contact c, real approach, real adhesion_limit, real kappa, real damping, Law law, float h, real elastic,
                       INOUT(real, part)) {
  real y = 1.0f / h * c.gap;
  mask closes = rebound_closes(c, approach, adhesion_limit, law, h);
  mask opens = both(both(law.rebound_ratio >= 0.0f, adhesion_limit == 0.0f), both(y < 0.0f, approach + (1.0f - kappa) * y >= 0.0f));
  if (!anywhere(either(closes, opens)))
    return elastic;
  real inside = kappa * y * (y - approach), outside = kappa * (0.25f * kappa - 1.0f) * y * y;
  real u = sqrt(approach * approach + select(closes, outside, inside));
  real ratio = y / select(closes, approach, -u);
  part = select(closes, 1.0f + ratio, select(opens, min(ratio, 1.0f), part));
  real damped = part * damping * approach;
  real closing = -u - 0.5f * kappa * y - approach - damped, opening = max(u - approach - damped, 0.0f);
  return select(closes, closing, select(opens, opening, elastic));
}

// vts and sp. A contact that closes within the substep, faster than gravity makes one at rest, is to part with e times that speed
// (Newton's law of impact). One that overlaps does not: the speed at which overlaps are taken out would be kept by rebounds. Decided once, where the substep starts, with the speeds that there are before it. Returns that speed [m/s], 0:
// none. fall: h |g| [m/s].
LAW real impulse_rebound(Contact c, Law law, real approach, float fall, float h) {
  mask strikes = both(approach < -rebound_falls * fall, both(c.gap >= 0.0f, c.gap + h * approach < 0.0f));
  return select(both(law.restitution > 0.0f, strikes), -law.restitution * approach, zero());
}

// Its first iteration is one of mass splitting with omega 1: exact for a pair that is alone, and never too far. Those that follow have no
// momentum from it. rate, splitting: impulse_rate.
LAW real rebound_rate(real rate, real splitting, real rebound, bool first) {
  return first ? select(rebound > 0.0f, splitting, rate) : rate;
}
LAW real rebound_beta(real beta, real rebound, bool second) {
  return second ? select(rebound > 0.0f, zero(), beta) : beta;
}

// The residual [m/s] of such a contact asks for the speed of parting, and for no less than what the gap asks for.
LAW real rebound_residual(real residual, real approach, real rebound) {
  return select(rebound > 0.0f, min(residual, approach - rebound), residual);
}
