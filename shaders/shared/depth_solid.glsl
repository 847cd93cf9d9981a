// Where the ray of a pixel meets a body. Needs solid.glsl and depth.glsl in scope.

// The piece of a ray from t = x to y; none where y < x.
const float endless = 1e30;
const vec2 nowhere = vec2(endless, -endless);

vec2 common_span(vec2 a, vec2 b) { return vec2(max(a.x, b.x), min(a.y, b.y)); }

// Of two that touch, or of which one is nowhere.
vec2 joined(vec2 a, vec2 b) { return vec2(min(a.x, b.x), max(a.y, b.y)); }

// For divisions by what is 0 along a surface.
float divisor(float x) { return abs(x) > 1e-20 ? x : 1e-20; }

// Where from + t way is between two values.
vec2 span_between(float from, float way, float low, float high) {
  precise float scale = 1.0 / divisor(way), a = (low - from) * scale, b = (high - from) * scale;
  return vec2(min(a, b), max(a, b));
}

vec2 in_box(Ray ray, vec3 low, vec3 high) {
  return common_span(common_span(span_between(ray.from.x, ray.way.x, low.x, high.x), span_between(ray.from.y, ray.way.y, low.y, high.y)),
                     span_between(ray.from.z, ray.way.z, low.z, high.z));
}

// What follows begins where the ray passes the middle, or what is small and far away would be lost in roundings.
float passes_at(Ray ray) {
  precise float t = -inner_of(ray.from, ray.way) / inner_of(ray.way, ray.way);
  return t;
}

vec2 in_ball(Ray ray, float radius) {
  float middle = passes_at(ray);
  precise vec3 p = ray.from + middle * ray.way;
  precise float inside = radius * radius - inner_of(p, p);
  if (inside < 0.0)
    return nowhere;
  float half_way = sqrt(inside / inner_of(ray.way, ray.way));
  return vec2(middle - half_way, middle + half_way);
}

// Within the radius around z that grows from `radius` at z = 0 by `slope`: a t^2 + 2 b t + c < 0. Of a double cone that half where the
// radius is positive.
vec2 in_slope(Ray ray, float radius, float slope) {
  float middle = passes_at(ray);
  vec3 way = ray.way;
  precise vec3 p = ray.from + middle * way;
  precise float r = radius + slope * p.z, grows = slope * way.z;
  precise float exact = way.x * way.x + way.y * way.y - grows * grows;
  precise float a = abs(exact) > 1e-12 ? exact : 1e-12;  // along the slope: the other end is out of sight
  precise float b = p.x * way.x + p.y * way.y - r * grows, c = p.x * p.x + p.y * p.y - r * r, root2 = b * b - a * c;
  if (root2 < 0.0 && a > 0.0)
    return nowhere;
  precise float root = sqrt(max(root2, 0.0)), q = b < 0.0 ? root - b : -root - b;
  precise float one = middle + q / a, other = middle + c / divisor(q);
  float low = min(one, other), high = max(one, other);
  if (a > 0.0)
    return vec2(low, high);
  return grows > 0.0 ? vec2(high, endless) : vec2(-endless, low);
}

vec2 in_cone(Ray ray, vec3 size) {
  precise float radius = 0.5 * (size.x + size.y), slope = (size.y - size.x) / (2.0 * size.z);
  vec2 both = common_span(in_slope(ray, radius, slope), span_between(ray.from.z, ray.way.z, -size.z, size.z));
  return both.x <= both.y ? both : nowhere;
}

vec2 in_capsule(Ray ray, vec3 size) {
  precise vec3 from_high = ray.from - vec3(0.0, 0.0, size.z), from_low = ray.from + vec3(0.0, 0.0, size.z);
  vec2 ends = joined(in_ball(Ray(from_high, ray.way), size.x), in_ball(Ray(from_low, ray.way), size.x));
  return joined(ends, in_cone(ray, vec3(size.x, size.x, size.z)));
}

vec2 below_plane(Ray ray) {
  precise float t = -ray.from.z / divisor(ray.way.z);
  return ray.way.z < 0.0 ? vec2(t, endless) : vec2(-endless, t);
}

bool is_convex(uint kind) { return (kind & solid_kind_mask) <= solid_cone; }

// In a part or, where that is not convex, in the box around it.
vec2 in_solid(SolidPart part, Ray ray) {
  uint kind = part.kind & solid_kind_mask;
  if (has_kind(solid_box) && kind == solid_box)
    return in_box(ray, -part.size, part.size);
  if (has_kind(solid_plane) && kind == solid_plane)
    return below_plane(ray);
  if (has_kind(solid_sphere) && kind == solid_sphere)
    return in_ball(ray, part.size.x);
  if (has_kind(solid_capsule) && kind == solid_capsule)
    return in_capsule(ray, part.size);
  if (has_kind(solid_cone) && kind == solid_cone)
    return in_cone(ray, part.size);
  if (has_kind(solid_grid) && kind == solid_grid)
    return in_box(ray, vec3(0.0), part.cell * (part.size - 1.0));
  if (has_kind(solid_triangles) && kind == solid_triangles)
    return in_box(ray, vec3(0.0), part.cell * part.size);
  float across = part.size.x + part.size.y;
  return in_box(ray, -vec3(across, across, part.size.y), vec3(across, across, part.size.y));
}

// Up to where, from t on, a ray is clear of a part, at least. t where it is in the part, or has come to it. Of a part taken away: up to
// where it is within that.
float clear_until(SolidPart part, Ray ray, float t, float slack) {
  vec2 span = in_solid(part, ray);
  bool subtracts = (part.kind & solid_subtracts) != 0u;
  if (!(t >= span.x && t < span.y))
    return subtracts ? t : t < span.x && span.x <= span.y ? span.x : endless;
  if (is_convex(part.kind))
    return subtracts ? span.y : t;
  // Up to the nearest surface. Interpolated distances may be too great.
  float d = from_shape(part, ray.from + t * ray.way).w, clear = subtracts ? -d : d;
  float doubt = (part.kind & solid_kind_mask) == solid_grid ? part.cell : 0.0;
  return clear <= slack ? t : t + max(clear - doubt, 0.75 * clear) / length(ray.way);
}

// From where a ray has come step by step on to the surface, which is flat there: at a small angle that is a longer way.
float surface_ahead(uint first, uint end, Ray ray, float t, float slack) {
  uint nearest;
  vec4 d = from_parts(first, end, ray.from + t * ray.way, nearest);
  float slope = -dot(d.xyz, ray.way);
  if (is_convex(part_kind(first + nearest / part_surfaces)) || slope <= 0.0)
    return t;
  return t + min(max(d.w, 0.0) / slope, depth_glance * slack);
}

// t where the ray of a pixel first comes to a body, before an end; else the end. Not where it starts in it.
float met(uint body, DepthCamera camera, View view, vec2 at, float end) {
  const uint convex_kinds = (2u << solid_cone) - 1u;
  bool perspective = camera.perspective != 0u;
  BodyMotion motion = bodies[body].motion;
  Ray in_world = ray_of(view, perspective, at);
  vec3 to = motion.position - in_world.from, aside = cross(in_world.way, to);
  float around = 1.01 * min(bodies[body].reach, 1e12);
  if (dot(aside, aside) > dot(in_world.way, in_world.way) * around * around)
    return end;
  uint first = bodies[body].first_part, parts_end = first + bodies[body].parts;
  View own = in_frame(view, motion.rotation, motion.position);
  float t = camera.near, slack = depth_slack * camera.far;
  for (uint stop = 0u; stop < depth_stops && t < end; ++stop) {
    float clear = endless;
    for (uint k = first; k < parts_end; ++k) {
      SolidPart part = solid_part(k);
      float other = clear_until(part, ray_of(in_frame(own, part.rotation, part.position), perspective, at), t, slack);
      clear = (part.kind & solid_subtracts) != 0u ? max(clear, other) : min(clear, other);
    }
    if (clear <= t && stop == 0u)
      return end;
    if (clear <= t)
      return (solid_kinds & solid_kind_bits & ~convex_kinds) == 0u
                 ? t
                 : min(surface_ahead(first, parts_end, ray_of(own, perspective, at), t, slack), end);
    t = clear;
  }
  return min(t, end);
}
