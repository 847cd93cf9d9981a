// Places in the domain and shortest ways across periodic axes. Everything `precise`, so that the CPU finds the same contacts. Needs
// `settings` in scope.

// d, or its image across a periodic axis that is shorter.
vec3 shortest(vec3 d) {
  precise vec3 r = d;
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic) {
      precise float edge = settings.domain_max[a] - settings.domain_min[a];
      if (d[a] > 0.5 * edge)
        r[a] = d[a] - edge;
      else if (d[a] < -0.5 * edge)
        r[a] = d[a] + edge;
    }
  return r;
}

float squared(vec3 d) {
  precise float s = d.x * d.x + d.y * d.y + d.z * d.z;
  return s;
}

// Distance of p from wall `wall` (2 axis + side), positive inside the domain.
float wall_distance(vec3 p, uint wall) {
  uint a = wall >> 1;
  return (wall & 1u) == 0u ? p[a] - settings.domain_min[a] : settings.domain_max[a] - p[a];
}

vec3 wall_normal(uint wall) {
  vec3 n = vec3(0.0);
  n[wall >> 1] = (wall & 1u) == 0u ? 1.0 : -1.0;
  return n;
}
