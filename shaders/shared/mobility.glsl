layout(constant_id = 3) const uint with_rigid = 1u;  // constant_rigid

// How easily a dynamic body is moved at a point away from its origin: change of the point's velocity per impulse [1/kg], along the
// normal, and across it at most, for the part of its mass that one contact has.
vec2 mobility(uint body, vec3 point, vec3 n) {
  if (with_rigid == 0u || bodies[body].split == 0.0)
    return vec2(0.0);
  mat3 m = bodies[body].inverse_mass, a = bodies[body].inverse_inertia;
  vec3 arm = point - bodies[body].pivot, turn = cross(arm, n);
  float along = dot(n, m * n) + dot(turn, a * turn);
  float total = m[0].x + m[1].y + m[2].z + (a[0].x + a[1].y + a[2].z) * dot(arm, arm) - dot(arm, a * arm);  // over three directions
  return bodies[body].split * vec2(along, max(total - along, 0.0));
}
