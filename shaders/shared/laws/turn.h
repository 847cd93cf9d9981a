// Grains that rotate: what a contact needs of the spins of both. A spin is sigma = r omega, the speed of the surface [m/s], so that neither
// side needs its radius. L is conserved to rounding, since both sides find the same lever and the same couple.

struct Turn {
  real3 sliding;  // m/s, sigma_i + sigma_j, by which the surfaces slide; a plane's own rotation is in Contact.velocity
  real3 rolling;  // m/s, W = R_eff (omega_i - omega_j), by which they roll and twist
  real lever;     // from the centres to the contact, in radii: |x_i - x_j| / (r_i + r_j)
  real share;     // of the couple that this side's spin takes: R_eff / r_i
  real ease;      // 1/kg, w_i (1 + m r^2 / I)_i + the same of the partner: inverse mass across the contact
  real ease_rolling;  // 1/kg, of W
};

// spin, other_spin: sigma; ease, other_ease: m r^2 / I; over_radii: 1 / (r + c.radius) [1/m].
LAW Turn turn_of_grains(Contact c, real3 spin, real ease, real w, real r, real3 other_spin, real other_ease, real over_radii) {
  Turn t;
  real share = c.radius * over_radii, other_share = r * over_radii;
  t.sliding = spin + other_spin;
  t.rolling = share * spin - other_share * other_spin;
  t.lever = 1.0f + c.gap * over_radii;
  t.share = share;
  t.ease = w * (1.0f + ease) + c.inverse_mass * (1.0f + other_ease);
  t.ease_rolling = ease * w * share * share + other_ease * c.inverse_mass * other_share * other_share;
  return t;
}

// With a wall or a body that rotates [rad/s]. Its own rotation in ease_rolling is left out: bodies are large beside grains.
LAW Turn turn_of_plane(Contact c, real3 spin, real ease, real w, real r, real3 rotation) {
  Turn t;
  t.sliding = spin;
  t.rolling = spin - r * rotation;
  t.lever = 1.0f + zero();
  t.share = 1.0f + zero();
  t.ease = w * (1.0f + ease) + c.across;
  t.ease_rolling = w * ease;
  return t;
}

// As across_share, of surfaces: springs across the normal are chosen for solid spheres, whose mass yields there 7/2 times as easily as along
// it. A dynamic body may yield more easily.
LAW real across_share_of_surfaces(Contact c, Turn t, real w) { return min(solid_tangential_ease * (w + c.inverse_mass) / t.ease, 1.0f); }

// By what the surfaces pass each other faster than the centres do [m/s], across the normal.
LAW real3 turn_slip(Contact c, Turn t) { return t.lever * cross(c.normal, t.sliding); }

// The change of the spin by an impulse across the normal and a couple (per radius), to be multiplied by m r^2 / I.
LAW real3 turn_couple(Contact c, Turn t, real3 friction, real3 rolling) { return t.lever * cross(friction, c.normal) + t.share * rolling; }
