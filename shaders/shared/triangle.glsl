// Triangles of cloth, as what touches them sees them. Needs settings, grains, shape_data, space.glsl and the contact rows in scope.
#include "shared/cloth.glsl"

// Slot of the k-th contact of grain i.
#include "shared/row.glsl"

#include "shared/laws/triangle.h"

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

// What the other triangles that grain i may touch say of a contact on a side or corner that they share.
struct SharedContact {
  bool hidden;  // one of them is nearer, or as near and comes first
  bool behind;  // of all of them that know their face, the grain is behind it
};
SharedContact shared_contact(uint i, uint partner, Triangle own, NearestPoint nearest, vec3 place) {
  SharedContact result = SharedContact(false, is_behind(own, nearest, face_of(partner)));
  uint count = contact_count[i];
  for (uint k = 0u; k < count && !result.hidden; ++k) {
    uint other = partner_at(i, contact_slot(i, k));
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
    uint contacts = shape_data[contacts_word(vertex)];
    inverse_mass += weights[k] * weights[k] * float(max(contacts, 1u)) * grains[place_of_vertex(vertex)].velocity.w;
  }
  return inverse_mass;
}
