// How easily a dynamic body is moved at a point away from its origin: change of the point's velocity per impulse [1/kg], along the
// normal, and across it at most, for the part of its mass that one contact has. m: its inverse mass, a: its inverse inertia about the pivot.
LAW vec2 body_mobility(float split, vec3 pivot, mat3 m, mat3 a, vec3 point, vec3 n) {
  vec3 arm = point - pivot, turn = cross(arm, n);
  float along = dot(n, m * n) + dot(turn, a * turn);
  float total = m[0].x + m[1].y + m[2].z + (a[0].x + a[1].y + a[2].z) * dot(arm, arm) - dot(arm, a * arm);  // over three directions
  return vec2(split * along, split * max(total - along, 0.0f));
}
