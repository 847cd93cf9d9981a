// The geometry of a contact, seen from the grain (docs/numerics.md has the symbols n, C, w).

struct Contact {
  real3 normal;       // towards the grain
  real gap;           // m, negative: overlap
  real3 velocity;     // m/s, of the partner
  real radius;        // m, of the partner; that of a wall or a body is the grain's own
  real inverse_mass;  // 1/kg, of the partner
  real across;        // 1/kg, likewise for what acts across the normal, at most
  real3 point;        // m, of a body's surface, from its origin
};

// Of two grains, d [m] apart, r the radius of the one, `other` of its partner. Coincident centres part along z, the one first in memory
// upwards: up is 1 or -1. one_division: the normal by one reciprocal, shorter than 1 by up to 1e-7, where three quotients cost more than
// what they are for; heaps of vts come to no rest by it.
LAW Contact contact_of_grains(real3 d, real r, real3 other_velocity, real other_r, real other_w, real up, bool one_division) {
  real distance = sqrt(squared(d));
  Contact c;
  c.normal = select(distance > 0.0f, one_division ? 1.0f / distance * d : d / distance, real3_of(zero(), zero(), up));
  c.gap = distance - (r + other_r);
  c.velocity = other_velocity;
  c.radius = other_r;
  c.inverse_mass = other_w;
  c.across = other_w;
  c.point = zero3();
  return c;
}

// With a wall, this far from the grain's centre.
LAW Contact contact_of_wall(real3 normal, real distance, real r) {
  Contact c;
  c.normal = normal;
  c.gap = distance - r;
  c.velocity = zero3();
  c.radius = r;
  c.inverse_mass = zero();
  c.across = zero();
  c.point = zero3();
  return c;
}

// Share of a push along the normal that one across it is, on a grain of inverse mass w: a dynamic body may be moved more easily that way.
LAW real across_share(Contact c, real w) {
  return select(c.across == c.inverse_mass, 1.0f, (w + c.inverse_mass) / (w + c.across));
}
