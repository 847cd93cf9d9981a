// Spins of both sides of a contact, where grains rotate. Needs settings, bodies and grain_spin in scope.

// spin: of the grain; w, r: its inverse mass and radius.
Turn turn_with(uint partner, bool with_grain, Contact c, vec4 spin, float w, float r) {
  if (with_grain) {
    vec4 other = grain_spin[partner];
    return turn_of_grains(c, spin.xyz, spin.w, w, r, other.xyz, other.w, 1.0 / (r + c.radius));
  }
  return turn_of_plane(c, spin.xyz, spin.w, w, r, is_body(partner) ? bodies[body_of(partner)].motion.spin : vec3(0.0));
}

// Where friction acts on a body that grains turn at: where the grain's surface would be without overlap, so that what the two get of angular
// momentum is opposite.
vec3 surface_point(Contact c) { return c.point + c.gap * c.normal; }

// The same where the gap is that of predicted positions: where the grain's surface was at the start of the substep. way: of the grain relative to
// the body since then.
vec3 surface_at_start(Contact c, vec3 way) { return c.point + (c.gap - dot(way, c.normal)) * c.normal; }
