// v turned with the contact into the plane across n: its part along n goes, its length stays.
vec3 turned(vec3 v, vec3 n) {
  vec3 t = v - dot(v, n) * n;
  float squared_t = dot(t, t);
  return squared_t > 0.0 ? t * sqrt(dot(v, v) / squared_t) : vec3(0.0);
}
