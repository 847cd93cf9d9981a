// Rotations, as quaternions xyzw of length 1.

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

// First q, then turn.
LAW vec4 then_turned(vec4 q, vec4 turn) {
  vec3 a = vec3(turn), b = vec3(q);
  return normalize(vec4(turn.w * b + q.w * a + cross(a, b), turn.w * q.w - dot(a, b)));
}

