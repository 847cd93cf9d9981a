// How a contact's partner names a surface of a body, and a surface its part. Integers that both sides must agree on, hence shared.
#ifndef TALUS_PARTNER_H
#define TALUS_PARTNER_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_INLINE inline
#else
#define TALUS_INLINE
#endif

TALUS_INLINE bool is_grain(uint partner) {
  return partner < triangle_partner;
}
TALUS_INLINE bool is_triangle(uint partner) {
  return partner >= triangle_partner && partner < body_partner;
}

// A triangle of cloth, and the face of it that the contact is known to be on.
TALUS_INLINE uint triangle_contact(uint triangle, uint face) {
  return triangle_partner + 4u * triangle + face;
}
TALUS_INLINE uint triangle_of(uint partner) {
  return (partner - triangle_partner) / 4u;
}
TALUS_INLINE uint face_of(uint partner) {
  return partner % 4u;
}
TALUS_INLINE uint without_face(uint partner) {
  return is_triangle(partner) ? partner - face_of(partner) : partner;
}

// Lists name a partner by its number within the world, so that they mean the same in every world; passes by its number among those of
// all worlds. places, bodies, triangles: of one world.
TALUS_INLINE uint partner_in_all(uint partner, uint world, uint places, uint bodies, uint triangles) {
  if (is_grain(partner))
    return partner + world * places;
  if (is_triangle(partner))
    return partner + 4u * world * triangles;
  return partner >= body_partner && partner < wall_partner ? partner + world * bodies : partner;
}
TALUS_INLINE uint partner_in_world(uint partner, uint world, uint places, uint bodies, uint triangles) {
  if (is_grain(partner))
    return partner - world * places;
  if (is_triangle(partner))
    return partner - 4u * world * triangles;
  return partner >= body_partner && partner < wall_partner ? partner - world * bodies : partner;
}

TALUS_INLINE uint surface_partner(uint body, uint surface) {
  return body_partner + surface * bodies_most + body;
}
TALUS_INLINE uint body_of(uint partner) {
  return (partner - body_partner) % bodies_most;
}
TALUS_INLINE uint surface_of(uint partner) {
  return (partner - body_partner) / bodies_most;
}

// Surfaces of a part of this kind: from outside one, but from inside, where it is taken away, a box has six flat ones and a cone
// three, its slope, its lower and its upper end.
TALUS_INLINE uint surfaces_of(uint kind) {
  if ((kind & solid_subtracts) == 0u)
    return 1u;
  uint shape = kind & solid_kind_mask;
  return shape == solid_box ? 6u : shape == solid_cone ? 3u : 1u;
}

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_INLINE
#endif
