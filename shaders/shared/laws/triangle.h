// Triangles of cloth, as what touches them sees them. All PRECISE: two triangles must find the same on the side that they share.

// A triangle seen from a place: its corners from there.
struct Triangle {
  uvec3 at;  // their places in memory
  vec3 corner[3];
};

// What of a triangle is nearest to the place.
struct NearestPoint {
  vec3 weights;  // of its corners; 0 of those that are not needed for it
  vec3 point;    // from the place
  float distance2;
};

LAW float dot_of(vec3 a, vec3 b) {
  PRECISE float d = a.x * b.x + a.y * b.y + a.z * b.z;
  return d;
}
LAW vec3 cross_of(vec3 a, vec3 b) {
  PRECISE vec3 c = vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return c;
}

LAW vec3 normal_of(Triangle t) {
  PRECISE vec3 ab = t.corner[1] - t.corner[0], ac = t.corner[2] - t.corner[0];
  return cross_of(ab, ac);
}

LAW int corners_of(NearestPoint nearest) {
  return int(nearest.weights.x > 0.0f) + int(nearest.weights.y > 0.0f) + int(nearest.weights.z > 0.0f);
}

// Which of two points to take, > 0: a, < 0: b. The nearer one or, where it may be rounding that tells them apart, the one amid more corners:
// a side leads nearer than its end, and of triangles that share the end not all have the side.
LAW int preferred(NearestPoint a, NearestPoint b) {
  if (abs(a.distance2 - b.distance2) > cloth_as_near * max(a.distance2, b.distance2))
    return a.distance2 < b.distance2 ? 1 : -1;
  return corners_of(a) - corners_of(b);
}

// On a side: from the corner that comes first in memory, so that both triangles of the side find the same.
LAW void nearest_on_side(Triangle t, uint a, uint b, INOUT(NearestPoint, nearest)) {
  if (t.at[a] > t.at[b]) {
    uint c = a;
    a = b;
    b = c;
  }
  vec3 from = t.corner[a];
  PRECISE vec3 side = t.corner[b] - from;
  // Is it one of the ends? Told by products, since a quotient may be off by 2.5 ulp, and in cloth that lies flat many ends are right there.
  float length2 = dot_of(side, side), along = -dot_of(from, side);
  float share = !(along > 0.0f) ? 0.0f : along >= length2 ? 1.0f : min(along / length2, 0.99999994f);  // the greatest below 1
  // Where the way is short its direction is that of a small difference: what it has along the side is an error of the share.
  PRECISE vec3 between_ends = from + share * side;
  PRECISE vec3 across = between_ends - dot_of(between_ends, side) / length2 * side;
  NearestPoint found;
  found.point = share == 0.0f ? from : share == 1.0f ? t.corner[b] : across;
  found.distance2 = dot_of(found.point, found.point);
  found.weights = vec3(0.0f);
  found.weights[a] = 1.0f - share;
  found.weights[b] = share;
  if (preferred(found, nearest) > 0)
    nearest = found;
}

LAW NearestPoint nearest_point(Triangle t) {
  vec3 a = t.corner[0], b = t.corner[1], c = t.corner[2];
  vec3 n = normal_of(t);
  float n2 = dot_of(n, n);
  vec3 weights = vec3(dot_of(cross_of(b, c), n), dot_of(cross_of(c, a), n), dot_of(cross_of(a, b), n));
  NearestPoint nearest;
  if (n2 > 0.0f && weights.x > 0.0f && weights.y > 0.0f && weights.z > 0.0f) {
    float height = dot_of(a, n);
    PRECISE float sum = weights.x + weights.y + weights.z;
    PRECISE vec3 shares = weights / sum;
    PRECISE vec3 point = height / n2 * n;
    PRECISE float distance2 = height * height / n2;
    nearest.weights = shares;
    nearest.point = point;
    nearest.distance2 = distance2;
    return nearest;
  }
  nearest.weights = vec3(0.0f);
  nearest.point = vec3(0.0f);
  nearest.distance2 = infinity();
  nearest_on_side(t, 0u, 1u, nearest);
  nearest_on_side(t, 1u, 2u, nearest);
  nearest_on_side(t, 2u, 0u, nearest);
  return nearest;
}

// The face that a triangle shows to the place; seen from its edge, none.
LAW uint seen_face(Triangle t, NearestPoint nearest) {
  vec3 n = normal_of(t);
  float height = -dot_of(n, nearest.point), n2 = dot_of(n, n);
  PRECISE float least = n2 * nearest.distance2;
  PRECISE float most = 4.0f * height * height;
  if (!(most > least))
    return face_unknown;
  return height > 0.0f ? face_front : face_back;
}

// Is the place behind that face?
LAW bool is_behind(Triangle t, NearestPoint nearest, uint face) {
  float height = -dot_of(normal_of(t), nearest.point);
  return face == face_front ? height < 0.0f : face == face_back && height > 0.0f;
}

// Are the corners that `nearest` needs corners of the other triangle, too?
LAW bool shares(Triangle own, NearestPoint nearest, Triangle other) {
  for (uint c = 0u; c < 3u; ++c) {
    uint at = own.at[c];
    if (nearest.weights[c] > 0.0f && other.at.x != at && other.at.y != at && other.at.z != at)
      return false;
  }
  return true;
}

LAW bool is_inside(NearestPoint nearest) { return nearest.weights.x > 0.0f && nearest.weights.y > 0.0f && nearest.weights.z > 0.0f; }
