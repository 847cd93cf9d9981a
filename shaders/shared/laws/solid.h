// Signed distance from solids, positive outside, with its gradient: vec4(gradient, distance). Plain C++ and GLSL alone read this file and
// those of bodies and triangles: they may use vec2, vec3, vec4, mat3 and branches. PRECISE where lists of contacts depend on it, so that
// the CPU finds the same ones. No vector that a GPU goes through often is indexed by a variable: it would keep it in memory.

LAW float sign_of(float x) { return x < 0.0f ? -1.0f : 1.0f; }
LAW float length_of(vec3 v) { return sqrt(squared(v)); }
LAW float length_of(vec2 v) {
  PRECISE float s = v.x * v.x + v.y * v.y;
  return sqrt(s);
}

// From a ball around the place that d comes from; up where the two meet.
LAW vec4 from_ball(vec3 d, float radius) {
  float l = length_of(d);
  return vec4(l > 0.0f ? d / l : vec3(0.0f, 0.0f, 1.0f), l - radius);
}

LAW vec4 from_box(vec3 p, vec3 size) {
  PRECISE vec3 q = abs(p) - size;
  vec3 side = vec3(sign_of(p.x), sign_of(p.y), sign_of(p.z));
  float inside = max(q.x, max(q.y, q.z));
  if (inside <= 0.0f) {
    vec3 n = q.z == inside   ? vec3(0.0f, 0.0f, side.z)
             : q.y == inside ? vec3(0.0f, side.y, 0.0f)
                             : vec3(side.x, 0.0f, 0.0f);
    return vec4(n, inside);
  }
  vec3 out_by = max(q, vec3(0.0f));
  float l = length_of(out_by);
  return vec4(out_by * (side / l), l);
}

// A truncated cone: in the plane of its axis and p a trapezium, of which the slope or an end is nearest.
LAW vec4 from_cone(vec3 p, vec3 size) {
  float across = length_of(vec2(p)), up = sign_of(p.z);
  PRECISE float slope_x = size.y - size.x, slope_y = 2.0f * size.z;
  PRECISE float foot_x = across - size.x, foot_y = p.z + size.z;  // from the slope's lower end
  PRECISE float slope2 = slope_x * slope_x + slope_y * slope_y;
  PRECISE float along = clamp((foot_x * slope_x + foot_y * slope_y) / slope2, 0.0f, 1.0f);
  PRECISE vec2 to_slope = vec2(foot_x - along * slope_x, foot_y - along * slope_y);
  PRECISE vec2 to_end = vec2(max(across - (p.z < 0.0f ? size.x : size.y), 0.0f), abs(p.z) - size.z);
  float slope = length_of(to_slope), end = length_of(to_end), l = min(slope, end);
  PRECISE float left = foot_x * slope_y - foot_y * slope_x;  // of the slope: inside
  float side = left < 0.0f && to_end.y < 0.0f ? -1.0f : 1.0f;
  vec2 n = slope < end ? to_slope : vec2(to_end.x, to_end.y * up);
  n = l > 0.0f ? side / l * n : slope < end ? vec2(slope_y, -slope_x) / sqrt(slope2) : vec2(0.0f, up);
  return vec4(across > 0.0f ? n.x * vec2(p) / across : vec2(n.x, 0.0f), n.y, side * l);
}

LAW vec4 from_torus(vec3 p, vec3 size) {
  float across = length_of(vec2(p));
  vec3 ring = across > 0.0f ? vec3(vec2(p) / across, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
  PRECISE vec3 d = p - size.x * ring;
  return from_ball(d, size.y);
}

LAW vec4 from_capsule(vec3 p, vec3 size) { return from_ball(vec3(p.x, p.y, p.z - clamp(p.z, -size.z, size.z)), size.x); }

LAW float between(float a, float b, float share) {
  PRECISE float value = a + share * (b - a);
  return value;
}

// Trilinear between the corners of a cell, v of corner x + 2 y + 4 z, t from the lowest one in cells. Along x, then y, then z.
LAW vec4 from_corners(vec3 t, float v[8]) {
  float low = between(v[0], v[1], t.x), low_y = between(v[2], v[3], t.x), high = between(v[4], v[5], t.x), high_y = between(v[6], v[7], t.x);
  PRECISE vec4 rise = vec4(v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6]);
  PRECISE vec2 rise_y = vec2(low_y - low, high_y - high);
  float below = between(low, low_y, t.y), above = between(high, high_y, t.y);
  PRECISE vec3 gradient = vec3(between(between(rise.x, rise.y, t.y), between(rise.z, rise.w, t.y), t.z), between(rise_y.x, rise_y.y, t.z),
                               above - below);
  float slope = length_of(gradient);
  return vec4(slope > 0.0f ? gradient / slope : vec3(0.0f, 0.0f, 1.0f), between(below, above, t.z));
}

// Parts are put together one after another: does a part at this distance decide in place of those before it, which are at distance d?
// A part that is taken away is solid outside of itself.
LAW bool decides(float part, float d, bool subtracts) { return subtracts ? -part > d : part < d; }

// The surfaces of parts taken away, seen from inside: where two of them meet is a hollow corner. Which of them, by the gradient of the part's
// distance: inside it that is the normal of the nearest one.
LAW uint surface_of_box(vec3 n) {
  vec3 size = abs(n);
  uint axis = size.z >= max(size.x, size.y) ? 2u : size.y >= size.x ? 1u : 0u;
  return 2u * axis + (n[axis] < 0.0f ? 0u : 1u);
}
LAW uint surface_of_cone(vec3 n) { return vec2(n) != vec2(0.0f) ? 0u : n.z < 0.0f ? 1u : 2u; }

// From one of them, as if it went on for ever.
LAW vec4 from_surface_of_box(uint surface, vec3 p, vec3 size) {
  uint axis = surface / 2u;
  float side = surface % 2u == 0u ? -1.0f : 1.0f;
  vec3 n = vec3(0.0f);
  n[axis] = -side;
  PRECISE float d = size[axis] - side * p[axis];
  return vec4(n, d);
}
LAW vec4 from_surface_of_cone(uint surface, vec3 p, vec3 size) {
  if (surface != 0u) {
    float side = surface == 1u ? -1.0f : 1.0f;
    PRECISE float d = size.z - side * p.z;
    return vec4(0.0f, 0.0f, -side, d);
  }
  float across = length_of(vec2(p));
  PRECISE float slope_x = size.y - size.x, slope_y = 2.0f * size.z;
  PRECISE float left = (across - size.x) * slope_y - (p.z + size.z) * slope_x;
  float slope = length_of(vec2(slope_x, slope_y));
  vec2 inwards = vec2(-slope_y, slope_x) / slope;
  return vec4(across > 0.0f ? inwards.x * vec2(p) / across : vec2(inwards.x, 0.0f), inwards.y, -left / slope);
}
