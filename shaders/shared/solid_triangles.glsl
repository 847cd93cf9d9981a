// The nearest triangle of a mesh, among those of a cell (engine/geometry/triangle_grid.h). Needs shape_data in scope. p from the
// lowest corner of the grid.
vec3 shape_vector(uint at) { return uintBitsToFloat(uvec3(shape_data[at], shape_data[at + 1u], shape_data[at + 2u])); }

float inner(vec3 a, vec3 b) {
  precise float s = a.x * b.x + a.y * b.y + a.z * b.z;
  return s;
}

// The way from the nearest point of triangle t to p. feature: 0 its face, 1 to 3 the edges ab, bc, ca, 4 to 6 the corners. By Voronoi
// regions (Ericson 2005, section 5.1.5). First which of these it is, then the way from one of its corners and along the edges there, which are
// loaded once more: all differences of the four points would take 18 registers at once.
vec3 from_triangle(vec3 p, uint t, out uint feature) {
  float a1, a2, b1, b2, c1, c2;
  {
    vec3 a = shape_vector(t), b = shape_vector(t + 3u), c = shape_vector(t + 6u);
    precise vec3 ab = b - a, ac = c - a, pa = p - a, pb = p - b, pc = p - c;
    a1 = inner(ab, pa), a2 = inner(ac, pa), b1 = inner(ab, pb), b2 = inner(ac, pb), c1 = inner(ab, pc), c2 = inner(ac, pc);
  }
  precise float w_a = b1 * c2 - c1 * b2, w_b = c1 * a2 - a1 * c2, w_c = a1 * b2 - b1 * a2;
  precise float from_b = b2 - b1, from_c = c1 - c2;
  uint corner = 0u, end = 0u;  // words of the triangle from which they are
  precise float s = 0.0, r = 0.0;
  if (a1 <= 0.0 && a2 <= 0.0) {
    feature = 4u;
  } else if (b1 >= 0.0 && b2 <= b1) {
    feature = 5u;
    corner = 3u;
  } else if (w_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0) {
    feature = 1u;
    end = 3u;
    s = a1 / (a1 - b1);
  } else if (c2 >= 0.0 && c1 <= c2) {
    feature = 6u;
    corner = 6u;
  } else if (w_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0) {
    feature = 3u;
    end = 6u;
    s = a2 / (a2 - c2);
  } else if (w_a <= 0.0 && from_b >= 0.0 && from_c >= 0.0) {
    feature = 2u;
    corner = 3u;
    end = 6u;
    s = from_b / (from_b + from_c);
  } else {
    feature = 0u;
    end = 3u;
    precise float sum = w_a + w_b + w_c;
    s = w_b / sum;
    r = w_c / sum;
  }
  vec3 from = shape_vector(t + corner);
  precise vec3 way = p - from;
  if (feature < 4u) {
    precise vec3 edge = shape_vector(t + end) - from;
    way = way - s * edge;
  }
  if (feature == 0u) {
    precise vec3 edge = shape_vector(t + 6u) - from;
    way = way - r * edge;
  }
  return way;
}

// What of a triangle is nearest to a point.
struct Touch {
  vec3 way;  // from it
  uint feature;
  uint triangle;  // 0: none
  float distance2;
};

Touch touch_of(vec3 p, uint t) {
  Touch touch;
  touch.triangle = t;
  touch.way = from_triangle(p, t, touch.feature);
  touch.distance2 = inner(touch.way, touch.way);
  return touch;
}
vec3 normal_at(Touch t) { return shape_vector(t.triangle + 9u + 3u * t.feature); }
float above(Touch t) { return inner(t.way, normal_at(t)) < 0.0 ? -1.0 : 1.0; }
// Near the surface the way is a small difference of large numbers; over a face its direction is known.
vec3 away_from(Touch t, float d) { return t.feature == 0u ? above(t) * normal_at(t) : t.way / d; }

// Is the point nearer than all places of the mesh around it? Of an edge that holds where it sticks out and neither of its two faces is
// nearer; the normal of the other face is the mirror image of the own one. Of a corner only the two edges of this triangle are looked at.
bool is_peak(Touch t) {
  if (t.feature == 0u)
    return true;
  float side = above(t);
  vec3 mean = normal_at(t);
  if (t.feature >= 4u) {
    uint k = t.feature - 4u;
    vec3 own = shape_vector(t.triangle + 3u * k);
    precise vec3 next = shape_vector(t.triangle + 3u * ((k + 1u) % 3u)) - own, other = shape_vector(t.triangle + 3u * ((k + 2u) % 3u)) - own;
    return side * inner(mean, next) < 0.0 && side * inner(mean, other) < 0.0;
  }
  precise vec3 along = shape_vector(t.triangle + 3u * (t.feature % 3u)) - shape_vector(t.triangle + 3u * (t.feature - 1u));
  precise vec3 within = cross(shape_vector(t.triangle + 9u), along);  // in the face, from the edge
  float bend = side * inner(mean, within), length2 = inner(along, along);
  if (!(bend < 0.0) || bend * bend <= 1e-6 * length2)
    return false;
  precise vec3 across = cross(mean, along);
  precise vec3 mirrored = within - 2.0 * inner(within, across) / length2 * across;
  return inner(t.way, mirrored) <= 0.0;
}

// The list of triangles around a point: from x; before y, what may be nearest; to z.
uvec3 triangles_around(SolidPart part, vec3 p) {
  precise vec3 q = p / part.cell;
  uvec3 size = uvec3(part.size), at = min(uvec3(max(q, vec3(0.0))), size - 1u);
  uint cell = part.first + (at.z * size.y + at.y) * size.x + at.x;
  return uvec3(shape_data[cell], shape_data[cell + size.x * size.y * size.z + 1u], shape_data[cell + 1u]);
}

// Only which one is kept, and looked at once more behind the last: a whole Touch would take seven registers from start to end.
Touch nearest_triangle(SolidPart part, uvec3 list, vec3 p) {
  Touch touch = Touch(vec3(0.0), 0u, 0u, 3.4e38);
  uint nearest = 0u;
  float distance2 = 3.4e38;
  for (uint k = list.x; k < list.y || (k == list.y && nearest != 0u); ++k) {
    touch = touch_of(p, k < list.y ? part.first + shape_data[part.first + k] : nearest);
    if (touch.distance2 < distance2) {
      distance2 = touch.distance2;
      nearest = touch.triangle;
    }
  }
  if (nearest == 0u)
    touch.triangle = 0u;
  return touch;
}

bool is_closed(SolidPart part) { return (part.kind & solid_two_sided) == 0u; }

vec4 from_nearest(SolidPart part, Touch nearest) {
  if (nearest.triangle == 0u)
    return vec4(0.0, 0.0, 1.0, part.far);
  float d = sqrt(nearest.distance2), side = is_closed(part) ? above(nearest) : 1.0;
  return vec4(d > 0.0 ? side * away_from(nearest, d) : normal_at(nearest), min(side * d, part.far));
}

vec4 beyond_triangles(SolidPart part, vec3 way) {
  float beyond = length_of(way);
  precise float d = part.far + beyond;
  return vec4(way / beyond, d);
}
vec3 out_of_triangles(SolidPart part, vec3 p) {
  precise vec3 end = part.cell * part.size;
  precise vec3 way = p - clamp(p, vec3(0.0), end);
  return way;
}

vec4 from_triangles(SolidPart part, vec3 p) {
  vec3 way = out_of_triangles(part, p);
  if (way != vec3(0.0))
    return beyond_triangles(part, way);
  return from_nearest(part, nearest_triangle(part, triangles_around(part, p), p));
}

// Is p in front of faces within reach that are turned against the nearest point's direction? A ball there may touch several places.
bool is_hollow(SolidPart part, vec3 p, float reach) {
  if (out_of_triangles(part, p) != vec3(0.0))
    return false;
  uvec3 list = triangles_around(part, p);
  Touch nearest = nearest_triangle(part, list, p);
  if (nearest.triangle == 0u || !(nearest.distance2 > 0.0) || (is_closed(part) && above(nearest) < 0.0))
    return false;
  // No quotients: they differ between devices, and lists of contacts depend on this.
  bool on_face = nearest.feature == 0u;
  vec3 away = on_face ? above(nearest) * normal_at(nearest) : nearest.way;
  precise float least = on_face ? corner_turn : corner_turn * sqrt(nearest.distance2);
  precise float reach2 = reach * reach, apart = 1e-6 * nearest.distance2;
  for (uint k = list.x; k < list.z; ++k) {
    Touch other = touch_of(p, part.first + shape_data[part.first + k]);
    if (!(other.distance2 < reach2))
      continue;
    vec3 normal = shape_vector(other.triangle + 9u);
    float height = inner(other.way, normal);
    if (is_closed(part) && !(height > 0.0))
      continue;
    precise vec3 between = other.way - nearest.way;
    if (inner(between, between) > apart && (height < 0.0 ? -1.0 : 1.0) * inner(normal, away) < least)
      return true;
  }
  return false;
}
