// The contact of dem: a spring and a damper (Cundall and Strack 1979) whose stiffness is tied to the substep, k = kappa m_eff / h^2, so that
// neither material nor mass ratio enters stability (docs/numerics.md). In units of velocity: what the contact changes the relative
// velocity by in a substep. D = w_i + w_j.
//   q = max(-a, -kappa C/h - 2 zeta sqrt(kappa) v_n) where C < reach; a: adhesion_limit.
// Friction: friction_of in friction.h.

struct DemSpring {
  real kappa;    // share of the overlap that a substep takes out
  real damping;  // 2 zeta sqrt(kappa), share of the approach
  real damping_across;  // the same for the damper across the normal
  real tangential;          // stiffness across the normal, as a share of kappa
  real tangential_damping;  // share of damping_across that acts across the normal
};

// Share of the greatest stiffness that a contact of two grains can have. A heavy or fixed grain does not give way, so that one among such
// takes all of each spring and not half. And a large light grain has as many springs as small ones fit around it: those of equal density
// weigh too little to matter, but a hollow ball in sand would be shaken to pieces.
LAW real dem_share(real w, real r, real other_w, real other_r) {
  real w_sum = w + other_w, mass_ratio = abs(w - other_w) / w_sum;
  real around = 0.5f * (1.0f + r / other_r), around_other = 0.5f * (1.0f + other_r / r);
  PRECISE real coordination = (around * around * w + around_other * around_other * other_w) / w_sum;
  return (1.0f - mass_ratio_share * mass_ratio) / max(1.0f, coordination);
}

// The spring of a contact whose restitution is given. spring: dem's own. share: dem_share; kappa falls with its square, and D with it, so
// that kappa + 2 D stays below what a bed bears. D is the share of the approach that a damping ratio z takes out in a substep:
// x / (1 + x/2), which is 1 - exp(-x) to the second order of x = 2 z sqrt(kappa). The damping across the normal is dem's own for that
// kappa: there e asks for nothing, and more would heat grains.
LAW DemSpring rebound_spring(DemSpring spring, real share, Law law) {
  mask given = law.rebound_ratio >= 0.0f;
  real kappa = min(spring.kappa, share * share * law.rebound_kappa), root = sqrt(kappa), x = 2.0f * law.rebound_ratio * root;
  spring.kappa = select(given, kappa, spring.kappa);
  spring.damping = select(given, x / (1.0f + 0.5f * x), spring.damping);
  spring.damping_across = select(given, 2.0f * dem_zeta * root, spring.damping_across);
  return spring;
}

// of_material: the stiffness and the damping that the material asks for, softer where the substep bears no more. rebounds: restitution is
// given for some pairs.
LAW DemSpring dem_spring(real share, real w_sum, Law law, float h, bool of_material, bool rebounds) {
  DemSpring spring;
  spring.kappa = share * dem_kappa;
  spring.damping = share * (2.0f * dem_zeta * sqrt(dem_kappa));
  if (of_material) {
    spring.kappa = min(h * h * law.stiffness * w_sum, spring.kappa);
    spring.damping = select(law.damping >= 0.0f, min(h * law.damping * w_sum, dem_damping_limit), 2.0f * dem_zeta * sqrt(spring.kappa));
  }
  spring.damping_across = spring.damping;
  spring.tangential = dem_tangential + zero();
  spring.tangential_damping = dem_tangential_damping + zero();
  if (rebounds)
    spring = rebound_spring(spring, share, law);
  return spring;
}

struct DemContact {
  real w_sum;           // D [1/kg]
  real3 relative;       // v_i - v_j [m/s]
  real approach;        // v_n, negative: the two get closer
  real adhesion_limit;  // m/s, by which adhesion can pull, h D F
  real reach;           // m, gap up to which it does
  real speculative;     // m/s, by which a contact that would go too deep is stopped before it does
  mask touches;
};

// Adhesion, F = a pi r^2, holds over the cross-section of the smaller grain. The spring bears up to its force and then yields: a load put
// on at once stretches it further than one at rest.
// Nothing goes deeper than half a radius in one substep: the spring comes too late for what is that fast. The speculative impulse stops it. Bodies and
// walls, the last contacts of a grain, have the last word: they see what all others do to it (change) and gravity (fall) [m/s].
LAW DemContact dem_contact(Contact c, DemSpring spring, Law law, real3 velocity, real w, real r, real3 change, real3 fall, bool last,
                           bool adheres, bool rebounds, float h) {
  DemContact d;
  real r_min = min(r, c.radius);
  d.w_sum = w + c.inverse_mass;
  d.relative = velocity - c.velocity;
  d.approach = dot(d.relative, c.normal);
  d.adhesion_limit = zero();
  d.reach = zero();
  if (adheres) {
    d.adhesion_limit = h * d.w_sum * law.adhesion * pi * r_min * r_min;
    d.reach = select(d.adhesion_limit > 0.0f, min(dem_adhesion_stretch * d.adhesion_limit * h / spring.kappa, dem_adhesion_reach * r_min), zero());
  }
  real ahead = last ? dot(velocity + change + fall - c.velocity, c.normal) : d.approach;
  d.speculative = -ahead - 1.0f / h * max(c.gap + 0.5f * r_min, 0.0f);
  d.touches = either(c.gap < d.reach, d.speculative > 0.0f);
  if (rebounds)
    d.touches = either(d.touches, rebound_closes(c, d.approach, d.adhesion_limit, law, h));
  d.touches = both(d.touches, d.w_sum > 0.0f);
  return d;
}

// The push of a contact along the normal, how much of it bears friction [m/s], and the part of the substep in which it is closed. rebounds:
// restitution is given for some pairs.
struct DemPush {
  real along, bears, part;
};
LAW DemPush dem_push(DemContact d, Contact c, DemSpring spring, Law law, bool rebounds, float h) {
  real elastic = select(c.gap < d.reach, max(-d.adhesion_limit, -spring.kappa * (1.0f / h) * c.gap - spring.damping * d.approach), zero());
  DemPush push;
  push.part = zero() + 1.0f;
  if (rebounds)
    elastic = rebound_push(c, d.approach, d.adhesion_limit, spring.kappa, spring.damping, law, h, elastic, push.part);
  push.along = max(elastic, d.speculative);
  push.bears = select(d.speculative > elastic, zero(), push.along + d.adhesion_limit);
  if (rebounds)
    push.bears = max(push.bears, 0.0f);
  return push;
}

// The change of the relative velocity. shear: the spring across the normal. across: across_share.
LAW real3 dem_respond(DemContact d, Contact c, DemSpring spring, Law law, real across, bool rebounds, float h, INOUT(real3, shear)) {
  DemPush push = dem_push(d, c, spring, law, rebounds, h);
  real3 slip = across * (d.relative - d.approach * c.normal);
  return push.along * c.normal + friction_of(shear, c.normal, slip, spring.tangential * (push.part * spring.kappa), spring.tangential_damping * (push.part * spring.damping_across), push.bears, law);
}

// Where grains rotate: the change of the relative velocity; the rolling couple g; and turn_couple, which times m r^2 / I and the grain's share of
// the masses is the change of its spin [m/s].
struct DemTurn {
  real3 response, rolling, couple;
};
// roll: the spring of rolling_of. rolls: does some pair of materials resist rolling? across: across_share_of_surfaces.
LAW DemTurn dem_turn(DemContact d, Contact c, Turn t, DemSpring spring, Law law, real across, bool rolls, bool rebounds, float h, INOUT(real3, shear), INOUT(real3, roll)) {
  DemPush push = dem_push(d, c, spring, law, rebounds, h);
  real3 slip = across * (d.relative - d.approach * c.normal + turn_slip(c, t));
  real3 friction = friction_of(shear, c.normal, slip, spring.tangential * (push.part * spring.kappa), spring.tangential_damping * (push.part * spring.damping_across), push.bears, law);
  DemTurn turn;
  turn.response = push.along * c.normal + friction;
  turn.rolling = zero3();
  if (rolls)
    turn.rolling = rolling_of(roll, t.rolling, dem_rolling * (push.part * spring.kappa), dem_rolling_damping * (push.part * spring.damping_across), push.bears, law);
  turn.couple = turn_couple(c, t, friction, turn.rolling);
  return turn;
}

// Normal force [N] of a contact that touches, as the last substep left it.
LAW real dem_force(Contact c, DemSpring spring, real3 velocity, real w_sum, float h) {
  real approach = dot(velocity - c.velocity, c.normal);
  return max(-spring.kappa * c.gap / h - spring.damping * approach, 0.0f) / (h * w_sum);
}
