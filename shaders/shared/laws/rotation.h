// Rotations, as quaternions xyzw of length 1. Plain C++ and GLSL alone. Needs sine(x) and cosine(x).

LAW vec3 rotated(vec4 q, vec3 v) {
  PRECISE vec3 t = 2.0f * cross(vec3(q), v);
  PRECISE vec3 r = v + q.w * t + cross(vec3(q), t);
  return r;
}
LAW vec3 rotated_back(vec4 q, vec3 v) { return rotated(vec4(-vec3(q), q.w), v); }

// Its columns are the axes of the turned frame.
LAW mat3 matrix_of(vec4 q) {
  return mat3(rotated(q, vec3(1.0f, 0.0f, 0.0f)), rotated(q, vec3(0.0f, 1.0f, 0.0f)), rotated(q, vec3(0.0f, 0.0f, 1.0f)));
}

// Half the edges, along the axes of the world, of the least box around a box that is rotated, by half the edges of that.
LAW vec3 half_around(vec4 q, vec3 half_edges) {
  PRECISE vec3 around = abs(rotated(q, vec3(half_edges.x, 0.0f, 0.0f))) + abs(rotated(q, vec3(0.0f, half_edges.y, 0.0f))) +
                        abs(rotated(q, vec3(0.0f, 0.0f, half_edges.z)));
  return around;
}

// First q, then turn.
LAW vec4 then_turned(vec4 q, vec4 turn) {
  vec3 a = vec3(turn), b = vec3(q);
  return normalize(vec4(turn.w * b + q.w * a + cross(a, b), turn.w * q.w - dot(a, b)));
}

// At this spin [rad/s] for a time [s], and by a rotation vector [rad].
LAW vec4 turn_for(vec3 spin, float time) {
  float speed = length(spin), half_angle = 0.5f * time * speed;
  return vec4((speed > 0.0f ? sine(half_angle) / speed : 0.5f * time) * spin, cosine(half_angle));
}
LAW vec4 turn_by(vec3 v) { return turn_for(v, 1.0f); }

// About what and how far something has turned between two rotations, of small turns [rad]; either way round.
LAW vec3 turned_between(vec4 before, vec4 after) {
  vec3 a = vec3(before), b = vec3(after);
  PRECISE vec3 halved = before.w * b - after.w * a - cross(b, a);
  return 2.0f * halved;
}
