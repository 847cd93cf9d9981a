// The nearest triangle of a mesh, among those of a cell (engine/geometry/triangle_grid.h). Needs shape_data in scope. p from the
// lowest corner of the grid.
vec3 shape_vector(uint at) { return uintBitsToFloat(uvec3(shape_data[at], shape_data[at + 1u], shape_data[at + 2u])); }

float inner(vec3 a, vec3 b) {
  precise float s = a.x * b.x + a.y * b.y + a.z * b.z;
  return s;
}

// The way from a triangle's nearest point to p. feature: 0 its face, 1 to 3 the edges ab, bc, ca, 4 to 6 the corners. By Voronoi
// regions (Ericson 2005, section 5.1.5).
vec3 from_triangle(vec3 p, vec3 a, vec3 b, vec3 c, out uint feature) {
  precise vec3 ab = b - a, ac = c - a, bc = c - b, pa = p - a, pb = p - b, pc = p - c;
  float a1 = inner(ab, pa), a2 = inner(ac, pa), b1 = inner(ab, pb), b2 = inner(ac, pb), c1 = inner(ab, pc), c2 = inner(ac, pc);
  precise float w_a = b1 * c2 - c1 * b2, w_b = c1 * a2 - a1 * c2, w_c = a1 * b2 - b1 * a2;
  precise float from_b = b2 - b1, from_c = c1 - c2;
  precise vec3 way;
  if (a1 <= 0.0 && a2 <= 0.0) {
    feature = 4u;
    way = pa;
  } else if (b1 >= 0.0 && b2 <= b1) {
    feature = 5u;
    way = pb;
  } else if (w_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0) {
    feature = 1u;
    precise float s = a1 / (a1 - b1);
    way = pa - s * ab;
  } else if (c2 >= 0.0 && c1 <= c2) {
    feature = 6u;
    way = pc;
  } else if (w_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0) {
    feature = 3u;
    precise float s = a2 / (a2 - c2);
    way = pa - s * ac;
  } else if (w_a <= 0.0 && from_b >= 0.0 && from_c >= 0.0) {
    feature = 2u;
    precise float s = from_b / (from_b + from_c);
    way = pb - s * bc;
  } else {
    feature = 0u;
    precise float sum = w_a + w_b + w_c;
    precise float s = w_b / sum, t = w_c / sum;
    way = pa - s * ab - t * ac;
  }
  return way;
}

vec4 from_triangles(SolidPart part, vec3 p) {
  precise vec3 end = part.cell * part.size;
  precise vec3 way = p - clamp(p, vec3(0.0), end);
  if (way != vec3(0.0)) {
    float beyond = length_of(way);
    precise float d = part.far + beyond;
    return vec4(way / beyond, d);
  }
  precise vec3 q = p / part.cell;
  uvec3 size = uvec3(part.size), at = min(uvec3(q), size - 1u);
  uint cell = part.first + (at.z * size.y + at.y) * size.x + at.x;
  float best = 3.4e38;
  uint nearest = 0u, nearest_feature = 0u;
  for (uint k = shape_data[cell]; k < shape_data[cell + 1u]; ++k) {
    uint t = part.first + shape_data[part.first + k], feature;
    vec3 w = from_triangle(p, shape_vector(t), shape_vector(t + 3u), shape_vector(t + 6u), feature);
    float d = inner(w, w);
    if (d < best) {
      best = d;
      way = w;
      nearest = t;
      nearest_feature = feature;
    }
  }
  if (nearest == 0u)
    return vec4(0.0, 0.0, 1.0, part.far);
  vec3 normal = shape_vector(nearest + 9u + 3u * nearest_feature);
  float d = sqrt(best), above = inner(way, normal) < 0.0 ? -1.0 : 1.0, side = (part.kind & solid_two_sided) == 0u ? above : 1.0;
  // Near the surface the way is a small difference of large numbers; over a face its direction is known.
  vec3 away = nearest_feature == 0u ? above * normal : way / d;
  return vec4(d > 0.0 ? side * away : normal, min(side * d, part.far));
}
