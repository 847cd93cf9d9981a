// Where a ray meets a body. Needs solid.glsl and the struct Ray in scope.
const float passes_by = 1e30;

// Up to where, from t on, the ray is clear of a part, at least; in the part's frame. t where it is in the part, or has come to it.
// Of a part taken away: up to where it is within that.
float clear_until(SolidPart part, Ray ray, float t, float end, float slack) {
  uint kind = part.kind & solid_kind_mask;
  bool subtracts = (part.kind & solid_subtracts) != 0u, convex = kind <= solid_cone;
  float at = t;
  for (uint k = 0u; k < depth_stops; ++k) {
    vec4 d = from_shape(part, ray.from + at * ray.way);
    if (k == 0u) {
      float clear = subtracts ? -d.w : d.w;
      if (clear <= slack)
        return t;
      if (!convex) {  // up to the nearest surface; interpolated distances may be too great
        float doubt = kind == solid_grid ? part.cell : 0.0;
        return t + max(clear - doubt, 0.75 * clear) / length(ray.way);
      }
      if (subtracts) {
        at = end;
        continue;
      }
    } else if (d.w <= slack)
      return at;
    // The distance from a convex shape is a convex function: Newton's method does not pass its zero. To where the ray comes in from t
    // on, to where it goes out back from the end.
    float slope = dot(d.xyz, ray.way);
    if (subtracts ? slope <= 0.0 : slope >= 0.0)
      return subtracts ? t : passes_by;
    at -= d.w / slope;
    if (at > end)
      return at;
  }
  return at;
}

// t where the ray first comes to a body between near and end; else the end. Not to one that it starts in.
float body_on_ray(uint body, Ray ray, float near, float end, float slack) {
  uint first = bodies[body].first_part, parts_end = first + bodies[body].parts;
  vec3 to = bodies[body].motion.position - ray.from, aside = cross(ray.way, to);
  float around = min(1.01 * bodies[body].reach, 1e12) + 8.0 * slack, length2 = dot(ray.way, ray.way);
  float inside = length2 * around * around - dot(aside, aside);
  if (inside < 0.0 || first == parts_end)  // of grains alone
    return end;
  float middle = dot(ray.way, to) / length2, half_way = sqrt(inside) / length2;
  float start = max(near, middle - half_way), last = min(end, middle + half_way), t = start;
  vec4 rotation = bodies[body].motion.rotation;
  Ray own = Ray(rotated_back(rotation, -to), rotated_back(rotation, ray.way));
  for (uint stop = 0u; stop < depth_stops && t < last; ++stop) {
    float clear = t;
    for (uint k = first; k < parts_end; ++k) {
      SolidPart part = solid_parts[k];
      float other = clear_until(part, Ray(in_part(part, own.from), rotated_back(part.rotation, own.way)), t, last, slack);
      clear = k == first ? other : (part.kind & solid_subtracts) != 0u ? max(clear, other) : min(clear, other);
    }
    if (clear <= t) {
      if (stop == 0u && start == near)
        return end;
      // From so near on to the surface, which is flat there: at a small angle that is a longer way.
      vec4 d = from_parts(first, parts_end, own.from + t * own.way);
      float slope = -dot(d.xyz, own.way);
      return min(slope > 0.0 ? t + min(max(d.w, 0.0) / slope, depth_glance * slack) : t, end);
    }
    t = clear;
  }
  return t < last ? t : end;
}
