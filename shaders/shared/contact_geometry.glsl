// Geometry of the contact of a grain at p with radius r and a partner, seen from the grain. Needs settings and grains in scope.
struct Contact {
  vec3 normal;         // towards the grain
  float gap;           // m, negative: overlap
  vec3 velocity;       // m/s, of the partner
  float radius;        // m, of the partner; a wall's is the grain's own
  float inverse_mass;  // 1/kg, of the partner
};

Contact contact_with(uint partner, uint i, vec3 p, float r) {
  Contact c;
  if (partner >= wall_partner) {
    uint wall = partner - wall_partner;
    c.normal = wall_normal(wall);
    c.gap = wall_distance(p, wall) - r;
    c.velocity = vec3(0.0);
    c.radius = r;
    c.inverse_mass = 0.0;
  } else {
    Grain other = grains[partner];
    vec3 d = shortest(p - other.position.xyz);
    float len = sqrt(squared(d));
    // Coincident centres part along z, the one first in memory upwards.
    c.normal = len > 0.0 ? d / len : vec3(0.0, 0.0, i < partner ? 1.0 : -1.0);
    c.gap = len - (r + other.position.w);
    c.velocity = other.velocity.xyz;
    c.radius = other.position.w;
    c.inverse_mass = other.velocity.w;
  }
  return c;
}
