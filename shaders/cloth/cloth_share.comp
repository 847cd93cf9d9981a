#version 460
#extension GL_GOOGLE_include_directive : require
// Contacts with cloth as the substep starts: which face of a triangle a grain is on, where it touches, and how many contacts share the mass of a vertex of cloth: those with the triangles around
// it that may push in this substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer ShapeBlock { uint shape_data[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer TouchBlock { ClothTouch cloth_touches[]; };
#include "shared/space.glsl"
#include "shared/triangle.glsl"

// The face of a triangle that grain i is on, as the substep starts. Remembered: what is pressed through a triangle comes back. It changes round
// the border, and where what is nearest belongs to other triangles, too, it is that of the nearest one. A vertex goes round its own triangles,
// which it does not touch.
uint cloth_face(uint i, uint count, uint partner) {
  vec3 place = grains[i].position.xyz;
  Triangle t = triangle_from(triangle_of(partner), place);
  NearestPoint nearest = nearest_point(t);
  uint face = face_of(partner);
  if (!is_inside(nearest)) {
    bool round = true;
    for (uint c = 0u; c < 3u; ++c)
      round = round && (nearest.weights[c] == 0.0 || is_on_border(triangle_of(partner), c));
    if (round || grain_id[i] - settings.cloth.first < settings.cloth.vertices)
      return seen_face(t, nearest);
    float least = nearest.distance2;
    for (uint k = 0u; k < count; ++k) {
      uint other = partner_at(i, contact_slot(i, k));
      if (!is_triangle(other) || face_of(other) == face_unknown)
        continue;
      Triangle another = triangle_from(triangle_of(other), place);
      float distance2 = nearest_point(another).distance2;
      if (distance2 < least && shares(t, nearest, another)) {
        least = distance2;
        face = face_of(other);
      }
    }
  }
  return face == face_unknown ? seen_face(t, nearest) : face;
}

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  float fall = args.h * length(settings.domain.gravity);
  uint count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = contact_partner[slot];
    if (is_triangle(partner))
      contact_partner[slot] = without_face(partner) + cloth_face(i, count, partner_at(i, slot));
  }
  for (uint k = 0u; k < count; ++k) {
    uint partner = partner_at(i, contact_slot(i, k));
    if (!is_triangle(partner))
      continue;
    ClothTouch c = cloth_contact(i, partner);
    cloth_touches[contact_slot(i, k)] = c;
    vec3 relative = grain.velocity.xyz - velocity_at(partner, c.weights);
    if (c.gap < max(args.h * (length(relative) + fall), contact_near * grain.position.w))
      for (uint n = 0u; n < 3u; ++n)
        atomicAdd(shape_data[contacts_word(triangle_corner(triangle_of(partner), n))], 1u);
  }
}
