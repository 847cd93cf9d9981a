// The laws one after another on one contact, in the dialect of shaders/shared/laws: included once among the laws in
// plain C++ and once among those with lanes. State and Outcome are made of reals alone, so that both are arrays of
// them.

struct State {
  real3 apart;  // m, of the centres
  real r, other_r, w, other_w, up;
  real3 velocity, other_velocity, change, fall;  // m/s
  Law law;
  real across;                            // across_share
  real3 spring;                           // m/s, of dem
  real3 friction_impulse, last_friction;  // N s
  real pressure, last_pressure;
  real3 shear;  // m
  real own_load, other_load;
  // p2 and pbd
  real3 down, sum_friction, slipped;  // -; m
  real sum_pressure;                  // m, or not_active
  real kept_adhesion_limit;           // m, of a law that is given it
  real overlap_share, approach_share;
  real weights, other_weights;  // kg
};

// The same for all contacts of a run.
struct Run {
  float h, fall, warm, omega, beta, gamma, kv, kc;
  float gravity, sor, error_reduction, mass_scaling, over_normal;
  bool one_division, of_material, adheres, rebounds, last, memory, grains_both, split;
  bool closes, accumulated, after, last_iteration, plain_mean;
};

struct Outcome {
  real3 normal;
  real gap;
  real share, kappa, damping;
  real adhesion_limit, reach, speculative, touches;
  real3 response, spring;
  real force;
  real hertz_kappa, hertz_damping, hertz_across;
  real3 hertz_response, hertz_shear;
  real impulse_adhesion_limit, is_near, rate;
  real3 remembered_drag;
  real remembered_pressure;
  real3 remembered_shear;
  real friction;
  real vts_residual, sp_residual, beta;
  real rebound, rebound_residual;
  real3 friction_impulse;
  real pressure;

  real p2_adhesion_limit, p2_active, weight, share_normal, share_tangential, w_of_parts, takes_part;
  real3 p2_change, p2_friction;
  real p2_pressure, p2_part, p2_mass;
  real3 p2_slipped;
  real pbd_touches, pbd_scaled, pbd_bears;
  real3 pbd_change, pbd_friction;
  real pbd_pressure;
  real3 pbd_apart;
  real pbd_weight;
};

LAW Outcome run_laws(const State& s, const Run& run) {
  Outcome o;
  Contact c = contact_of_grains(s.apart, s.r, s.other_velocity, s.other_r, s.other_w, s.up, run.one_division);
  o.normal = c.normal;
  o.gap = c.gap;

  o.share = dem_share(s.w, s.r, s.other_w, s.other_r);
  DemSpring spring = dem_spring(o.share, s.w + s.other_w, s.law, run.h, run.of_material, run.rebounds);
  o.kappa = spring.kappa;
  o.damping = spring.damping;
  DemContact d =
      dem_contact(c, spring, s.law, s.velocity, s.w, s.r, s.change, s.fall, run.last, run.adheres, run.rebounds, run.h);
  o.adhesion_limit = d.adhesion_limit;
  o.reach = d.reach;
  o.speculative = d.speculative;
  o.touches = select(d.touches, 1.0f, 0.0f);
  o.spring = s.spring;
  o.response = dem_respond(d, c, spring, s.law, s.across, run.rebounds, run.h, o.spring);
  o.force = dem_force(c, spring, s.velocity, d.w_sum, run.h);

  DemSpring hertz = hertz_spring(c, s.r, s.w + s.other_w, o.share, s.law, run.grains_both, run.h);
  o.hertz_kappa = hertz.kappa;
  o.hertz_damping = hertz.damping;
  o.hertz_across = hertz.damping_across;
  o.hertz_shear = hertz_unloaded(c, d.approach, run.h, s.spring);
  o.hertz_response = dem_respond(d, c, hertz, s.law, s.across, false, run.h, o.hertz_shear);

  real r_min = min(s.r, s.other_r);
  real3 relative = s.velocity - s.other_velocity;
  o.impulse_adhesion_limit = impulse_adhesion_limit(s.law.adhesion, c.gap, r_min, run.h);
  o.is_near = select(impulse_near(c, relative, r_min, run.fall, run.h), 1.0f, 0.0f);
  o.rate = impulse_rate(s.w, s.other_w, s.own_load, s.other_load, run.grains_both, run.split, run.omega);
  o.remembered_drag = s.friction_impulse;
  o.remembered_pressure = s.pressure;
  o.remembered_shear = s.shear;
  impulse_warm_start(c, s.law, relative, s.w + c.inverse_mass, o.impulse_adhesion_limit, s.across, run.warm, run.memory,
                     run.h, o.remembered_drag, o.remembered_pressure, o.remembered_shear, o.friction);
  real approach = dot(relative, c.normal);
  real3 slip = relative - approach * c.normal;
  o.vts_residual = vts_residual(approach, c.gap, run.gamma, run.h);
  o.sp_residual = sp_residual(approach, c.gap, run.kv, run.kc, run.h);
  o.rebound = impulse_rebound(c, s.law, approach, run.fall, run.h);
  o.rebound_residual = rebound_residual(o.vts_residual, approach, o.rebound);
  o.beta = impulse_beta(s.law, o.vts_residual, slip, s.last_friction, s.last_pressure, zero() + run.beta);
  o.friction_impulse = s.friction_impulse;
  o.pressure = s.pressure;
  impulse_iterate(c.normal, o.vts_residual, slip, o.impulse_adhesion_limit, o.rate, s.across, o.beta,
                  s.law.friction_static, s.law.friction_kinetic, s.last_friction, s.last_pressure, o.friction_impulse,
                  o.pressure);

  real3 way = run.h * relative;
  real w_sum = s.w + s.other_w, sum_pressure = max(s.sum_pressure, 0.0f);
  o.p2_adhesion_limit = p2_adhesion_limit(c, s.r, way, s.law.adhesion, w_sum, !run.grains_both, run.h);
  o.p2_active = select(p2_active(c, s.sum_pressure, o.p2_adhesion_limit, w_sum), 1.0f, 0.0f);
  o.weight = contact_weight(c, s.w, s.r, contact_bears(c, sum_pressure, s.kept_adhesion_limit), run.h, run.gravity);
  mask closes = s.sum_pressure <= 0.0f;
  if (!run.closes)
    closes = both(closes, s.sum_pressure > 0.0f);  // never
  Shares shares = shares_by_weight(s.w, s.other_w, s.weights, s.other_weights, o.weight, closes, run.grains_both,
                                   run.over_normal, run.sor);
  o.share_normal = shares.normal;
  o.share_tangential = shares.tangential;
  o.w_of_parts = w_of_parts(s.w, s.other_w, s.own_load, s.other_load);
  o.takes_part = select(takes_part(c, s.r, s.sum_pressure, s.kept_adhesion_limit), 1.0f, 0.0f);
  Relaxation relax;
  relax.overlap = s.overlap_share;
  relax.approach = s.approach_share;
  o.p2_friction = s.sum_friction;
  o.p2_pressure = sum_pressure;
  o.p2_change = p2_iterate(c, relax, shares, way, run.memory, s.slipped, s.kept_adhesion_limit, s.across, s.law,
                           o.p2_friction, o.p2_pressure);
  o.p2_part = p2_part(c, s.w, s.down, run.error_reduction);
  o.p2_mass = p2_mass(c, s.w, o.p2_part);
  o.p2_slipped = p2_slipped(c, s.slipped, way, s.sum_pressure, s.kept_adhesion_limit, s.across, s.law);

  bool once = run.after && run.last_iteration;
  o.pbd_touches = select(pbd_touches(c, s.r, sum_pressure, s.w, once), 1.0f, 0.0f);
  o.pbd_scaled = pbd_scaled(c, s.r, s.down, run.mass_scaling);
  o.pbd_bears = pbd_bears(c, sum_pressure, once);
  o.pbd_friction = s.sum_friction - dot(s.sum_friction, c.normal) * c.normal;
  o.pbd_pressure = sum_pressure;
  o.pbd_change = pbd_iterate(c, shares, way, s.across, s.law, run.accumulated, run.after, run.last_iteration, run.h,
                             run.gravity, o.pbd_friction, o.pbd_pressure);
  o.pbd_apart = pbd_apart(c, s.w, run.plain_mean, o.pbd_weight);
  return o;
}
