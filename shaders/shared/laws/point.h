// The contact of a point of a dynamic body with a surface, `normal` towards the point: a spring and a damper as those of dem, and the brake
// of dem_contact. v: m/s, of the point relative to the surface; ahead: along the normal, as the brake sees it. ease: of both, by
// body_mobility. radius: m, of the largest grain.
LAW float point_brake(float gap, float ahead, float radius, float h) { return -ahead - max(gap + 0.5f * radius, 0.0f) / h; }
LAW vec3 point_impulse(float gap, vec3 normal, vec3 v, float speculative, vec2 ease, Law law, float h, INOUT(vec3, shear)) {
  float approach = dot(v, normal), damping = 2.0f * touch_zeta * sqrt(touch_kappa);
  float elastic = gap < 0.0f ? max(0.0f, -touch_kappa * gap / h - damping * approach) : 0.0f, normal_impulse = max(elastic, speculative);
  vec3 slip = ease.x / max(ease.y, 1e-3f * ease.x) * (v - approach * normal);
  return (normal_impulse * normal + friction_of(shear, normal, slip, touch_tangential * touch_kappa, touch_tangential_damping * damping, speculative > elastic ? 0.0f : normal_impulse, law)) / ease.x;
}
