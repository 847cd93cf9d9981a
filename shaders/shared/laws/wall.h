// The walls of the domain, `wall` = 2 axis + side. Plain C++ and GLSL alone. No vector is indexed by a variable (solid.h).

// Distance of p [m], positive inside the domain.
LAW float wall_distance(vec3 p, uint wall, vec3 low, vec3 high) {
  PRECISE vec3 d = wall % 2u == 0u ? p - low : high - p;
  return wall < 2u ? d.x : wall < 4u ? d.y : d.z;
}

LAW vec3 wall_normal(uint wall) {
  float n = wall % 2u == 0u ? 1.0f : -1.0f;
  return vec3(wall < 2u ? n : 0.0f, wall < 2u || wall > 3u ? 0.0f : n, wall < 4u ? 0.0f : n);
}
