// Triangles of cloth, as what touches them sees them. Needs settings, grains, shape_data, space.glsl and the contact rows in scope.
// All `precise`: two triangles must find the same on the side that they share.
#include "shared/cloth.glsl"

// Slot of the k-th contact of grain i.
#include "shared/row.glsl"

// A triangle seen from a place: its corners from there.
struct Triangle {
  uvec3 at;  // their places in memory
  vec3 corner[3];
};

Triangle triangle_from(uint triangle, vec3 place) {
  Triangle t;
  for (uint k = 0u; k < 3u; ++k) {
    uint at = place_of_vertex(triangle_corner(triangle, k));
    precise vec3 from = grains[at].position.xyz - place;
    t.at[k] = at;
    t.corner[k] = shortest(from);
  }
  return t;
}

// What of a triangle is nearest to the place.
struct NearestPoint {
  vec3 weights;  // of its corners; 0 of those that are not needed for it
  vec3 point;    // from the place
  float distance2;
};

float dot_of(vec3 a, vec3 b) {
  precise float d = a.x * b.x + a.y * b.y + a.z * b.z;
  return d;
}
vec3 cross_of(vec3 a, vec3 b) {
  precise vec3 c = vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return c;
}

vec3 normal_of(Triangle t) {
  precise vec3 ab = t.corner[1] - t.corner[0], ac = t.corner[2] - t.corner[0];
  return cross_of(ab, ac);
}

int corners_of(NearestPoint nearest) {
  return int(nearest.weights.x > 0.0) + int(nearest.weights.y > 0.0) + int(nearest.weights.z > 0.0);
}

// Which of two points to take, > 0: a, < 0: b. The nearer one or, where it may be rounding that tells them apart, the one amid more corners:
// a side leads nearer than its end, and of triangles that share the end not all have the side.
int preferred(NearestPoint a, NearestPoint b) {
  if (abs(a.distance2 - b.distance2) > cloth_as_near * max(a.distance2, b.distance2))
    return a.distance2 < b.distance2 ? 1 : -1;
  return corners_of(a) - corners_of(b);
}

const float share_most = 0.99999994;  // the greatest below 1

// On a side: from the corner that comes first in memory, so that both triangles of the side find the same.
void nearest_on_side(Triangle t, uint a, uint b, inout NearestPoint nearest) {
  if (t.at[a] > t.at[b]) {
    uint c = a;
    a = b;
    b = c;
  }
  vec3 from = t.corner[a];
  precise vec3 side = t.corner[b] - from;
  // Is it one of the ends? Told by products, since a quotient may be off by 2.5 ulp, and in cloth that lies flat many ends are right there.
  float length2 = dot_of(side, side), along = -dot_of(from, side);
  float share = !(along > 0.0) ? 0.0 : along >= length2 ? 1.0 : min(along / length2, share_most);
  // Where the way is short its direction is that of a small difference: what it has along the side is an error of the share.
  precise vec3 between = from + share * side;
  precise vec3 across = between - dot_of(between, side) / length2 * side;
  vec3 point = share == 0.0 ? from : share == 1.0 ? t.corner[b] : across;
  float distance2 = dot_of(point, point);
  NearestPoint found = NearestPoint(vec3(0.0), point, distance2);
  found.weights[a] = 1.0 - share;
  found.weights[b] = share;
  if (preferred(found, nearest) > 0)
    nearest = found;
}

NearestPoint nearest_point(Triangle t) {
  vec3 a = t.corner[0], b = t.corner[1], c = t.corner[2];
  vec3 n = normal_of(t);
  float n2 = dot_of(n, n);
  vec3 weights = vec3(dot_of(cross_of(b, c), n), dot_of(cross_of(c, a), n), dot_of(cross_of(a, b), n));
  NearestPoint nearest;
  if (n2 > 0.0 && weights.x > 0.0 && weights.y > 0.0 && weights.z > 0.0) {
    float height = dot_of(a, n);
    precise float sum = weights.x + weights.y + weights.z;
    precise vec3 shares = weights / sum;
    precise vec3 point = height / n2 * n;
    precise float distance2 = height * height / n2;
    nearest.weights = shares;
    nearest.point = point;
    nearest.distance2 = distance2;
    return nearest;
  }
  nearest.weights = vec3(0.0);
  nearest.point = vec3(0.0);
  nearest.distance2 = uintBitsToFloat(0x7F800000u);
  nearest_on_side(t, 0u, 1u, nearest);
  nearest_on_side(t, 1u, 2u, nearest);
  nearest_on_side(t, 2u, 0u, nearest);
  return nearest;
}

// The face that a triangle shows to the place; seen from its edge, none.
uint seen_face(Triangle t, NearestPoint nearest) {
  vec3 n = normal_of(t);
  float height = -dot_of(n, nearest.point), n2 = dot_of(n, n);
  precise float least = n2 * nearest.distance2;
  precise float most = 4.0 * height * height;
  if (!(most > least))
    return face_unknown;
  return height > 0.0 ? face_front : face_back;
}

// Is the place behind that face?
bool is_behind(Triangle t, NearestPoint nearest, uint face) {
  float height = -dot_of(normal_of(t), nearest.point);
  return face == face_front ? height < 0.0 : face == face_back && height > 0.0;
}

bool is_corner(Triangle t, uint place) { return t.at.x == place || t.at.y == place || t.at.z == place; }

// Are the corners that `nearest` needs corners of the other triangle, too?
bool shares(Triangle own, NearestPoint nearest, Triangle other) {
  for (uint c = 0u; c < 3u; ++c)
    if (nearest.weights[c] > 0.0 && !is_corner(other, own.at[c]))
      return false;
  return true;
}

bool is_inside(NearestPoint nearest) { return nearest.weights.x > 0.0 && nearest.weights.y > 0.0 && nearest.weights.z > 0.0; }

// What the other triangles that grain i may touch say of a contact on a side or corner that they share.
struct SharedContact {
  bool hidden;  // one of them is nearer, or as near and comes first
  bool behind;  // of all of them that know their face, the grain is behind it
};
SharedContact shared_contact(uint i, uint partner, Triangle own, NearestPoint nearest, vec3 place) {
  SharedContact result = SharedContact(false, is_behind(own, nearest, face_of(partner)));
  uint count = contact_count[i];
  for (uint k = 0u; k < count && !result.hidden; ++k) {
    uint other = contact_partner[contact_slot(i, k)];
    if (!is_triangle(other) || other == partner)
      continue;
    Triangle t = triangle_from(triangle_of(other), place);
    if (!shares(own, nearest, t))
      continue;
    NearestPoint its = nearest_point(t);
    int better = preferred(its, nearest);
    result.hidden = better > 0 || (better == 0 && other < partner);
    result.behind = result.behind && (face_of(other) == face_unknown || is_behind(t, its, face_of(other)));
  }
  return result;
}

// Contact of grain i with a triangle of cloth, where both are, without an impulse.
ClothTouch cloth_contact(uint i, uint partner) {
  vec3 place = grains[i].position.xyz;
  float r = grains[i].position.w;
  Triangle t = triangle_from(triangle_of(partner), place);
  NearestPoint nearest = nearest_point(t);
  float len = sqrt(nearest.distance2);
  vec3 normal = len > 0.0 ? -nearest.point : (face_of(partner) == face_back ? -1.0 : 1.0) * normal_of(t);
  float normal_length = length(normal);
  ClothTouch c = ClothTouch(normal_length > 0.0 ? normal / normal_length : vec3(0.0, 0.0, 1.0), 0.0, nearest.weights, vec3(0.0), 0.0);
  float reach = r + grains[t.at.x].position.w;
  SharedContact shared_by = SharedContact(false, is_behind(t, nearest, face_of(partner)));
  if (!is_inside(nearest)) {
    shared_by = shared_contact(i, partner, t, nearest, place);
    shared_by.behind = shared_by.behind && len < reach;
  }
  if (shared_by.behind)
    c.normal = -c.normal;
  c.gap = shared_by.hidden ? surface_hidden * r : (shared_by.behind ? -len : len) - reach;
  return c;
}

// Of the point of a triangle that these weights of its corners give [m/s].
vec3 velocity_at(uint partner, vec3 weights) {
  vec3 velocity = vec3(0.0);
  for (uint k = 0u; k < 3u; ++k)
    velocity += weights[k] * grains[place_of_vertex(triangle_corner(triangle_of(partner), k))].velocity.xyz;
  return velocity;
}
// Likewise, of the parts of its corners' masses that a contact gets [1/kg].
float inverse_mass_at(uint partner, vec3 weights) {
  float inverse_mass = 0.0;
  for (uint k = 0u; k < 3u; ++k) {
    uint vertex = triangle_corner(triangle_of(partner), k);
    uint contacts = shape_data[cloth_contacts_word(settings.cloth_words, settings.cloth_triangles, settings.cloth, vertex)];
    inverse_mass += weights[k] * weights[k] * float(max(contacts, 1u)) * grains[place_of_vertex(vertex)].velocity.w;
  }
  return inverse_mass;
}
