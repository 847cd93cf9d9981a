#pragma once
// Triangles of cloth, as what touches them sees them.
#include "engine/reference/space.h"
#include "shaders/shared/cloth.h"
#include <array>

namespace talus::reference {

// Triangles and vertices are numbered through all worlds.
inline uint all_triangles(const Settings& s) {
  return s.worlds.count * s.cloth.triangles;
}
inline uint all_vertices(const Settings& s) {
  return s.worlds.count * s.cloth.vertices;
}
inline uint triangle_corner(const Fields& f, uint triangle, uint corner) {
  TALUS_ASSERT(triangle < all_triangles(f.settings[0]) && corner < 3, triangle, corner);
  return f.shape_data[cloth_corner_word(f.settings[0].cloth.words, triangle, corner)] & ~cloth_border;
}
inline bool is_on_border(const Fields& f, uint triangle, uint corner) {
  TALUS_ASSERT(triangle < all_triangles(f.settings[0]) && corner < 3, triangle, corner);
  return f.shape_data[cloth_corner_word(f.settings[0].cloth.words, triangle, corner)] & cloth_border;
}
template <class AnyFields> auto& place_of_vertex(AnyFields& f, uint vertex) {
  const Settings& s = f.settings[0];
  TALUS_ASSERT(vertex < all_vertices(s), vertex, all_vertices(s));
  return f.shape_data[cloth_index_word(s.cloth.words, all_triangles(s), vertex)];
}
// The number of its cloth, the same in all worlds.
inline uint cloth_of_vertex(const Fields& f, uint vertex) {
  const Settings& s = f.settings[0];
  return f.shape_data[cloth_number_word(s.cloth.words, all_triangles(s), all_vertices(s), vertex)];
}
template <class AnyFields> auto& contacts_of_vertex(AnyFields& f, uint vertex) {
  const Settings& s = f.settings[0];
  TALUS_ASSERT(vertex < all_vertices(s), vertex, all_vertices(s));
  return f.shape_data[cloth_contacts_word(s.cloth.words, all_triangles(s), all_vertices(s), vertex)];
}

// The first triangle of a cell in the order of cloth_sort, and the k-th triangle in it.
template <class AnyFields> auto& first_triangle(AnyFields& f, uint world, uint cell) {
  const Settings& s = f.settings[0];
  return f.shape_data[cloth_start_word(s.cloth.words, all_triangles(s), all_vertices(s), grid_cells(s.cloth.bits),
                                       world, cell)];
}
template <class AnyFields> auto& triangle_in_order(AnyFields& f, uint k) {
  const Settings& s = f.settings[0];
  TALUS_ASSERT(k < all_triangles(s), k, all_triangles(s));
  return f.shape_data[cloth_order_word(s.cloth.words, all_triangles(s), all_vertices(s), grid_cells(s.cloth.bits),
                                       s.worlds.count, k)];
}

inline ivec3 cloth_cell_of(vec3 p, const Settings& settings, const World& world) {
  ivec3 cell;
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(static_cast<int>(std::floor(
                            std::clamp((p[a] - settings.domain.min[a]) * world.cloth.inverse_cell[a], -1e6f, 1e6f))),
                        world.cloth.cells[a]);
  return cell;
}

// A triangle of cloth from a place.
inline Triangle triangle_from(const Fields& f, uint triangle, vec3 place) {
  Triangle t;
  for (uint k = 0; k < 3; ++k) {
    t.at[k] = place_of_vertex(f, triangle_corner(f, triangle, k));
    TALUS_ASSERT(f.grain_id[t.at[k]] ==
                     f.settings[0].cloth.first + triangle_corner(f, triangle, k) % f.settings[0].cloth.vertices,
                 triangle, k, t.at[k]);
    const Grain& g = f.grains[t.at[k]];
    t.corner[k] = shortest(vec3(g.position) - place, f.settings[0]);
  }
  return t;
}

// The face of a triangle that grain i is on, as the substep starts. Remembered: what is pressed through a triangle
// comes back. It changes round the border, and where what is nearest belongs to other triangles, too, it is that of the
// nearest one. A vertex goes round its own triangles, which it does not touch.
inline uint cloth_face(const Fields& f, uint i, uint partner) {
  TALUS_ASSERT(is_triangle(partner) && is_partner(f, partner), i, partner);
  const Settings& settings = f.settings[0];
  const vec3 place(f.grains[i].position);
  const Triangle t = triangle_from(f, triangle_of(partner), place);
  const NearestPoint nearest = nearest_point(t);
  uint face = face_of(partner);
  if (!is_inside(nearest)) {
    bool round = true;
    for (uint c = 0; c < 3; ++c)
      round &= nearest.weights[static_cast<int>(c)] == 0.0f || is_on_border(f, triangle_of(partner), c);
    if (round || f.grain_id[i] - settings.cloth.first < settings.cloth.vertices)
      return seen_face(t, nearest);
    float least = nearest.distance2;
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const uint other = partner_at(f, i, contact_slot(f, i, k));
      if (!is_triangle(other) || face_of(other) == face_unknown)
        continue;
      const Triangle another = triangle_from(f, triangle_of(other), place);
      const float distance2 = nearest_point(another).distance2;
      if (distance2 < least && shares(t, nearest, another)) {
        least = distance2;
        face = face_of(other);
      }
    }
  }
  return face == face_unknown ? seen_face(t, nearest) : face;
}

// What the other triangles that grain i may touch say of a contact on a side or corner that they share.
struct SharedContact {
  bool hidden;  // one of them is nearer, or as near and comes first
  bool behind;  // of all of them that know their face, the grain is behind it
};
inline SharedContact shared_contact(const Fields& f, uint i, uint partner, const Triangle& own,
                                    const NearestPoint& nearest, vec3 place) {
  SharedContact out{false, is_behind(own, nearest, face_of(partner))};
  for (uint k = 0; k < f.contact_count[i] && !out.hidden; ++k) {
    const uint other = partner_at(f, i, contact_slot(f, i, k));
    if (!is_triangle(other) || other == partner)
      continue;
    const Triangle t = triangle_from(f, triangle_of(other), place);
    if (!shares(own, nearest, t))
      continue;
    const NearestPoint its = nearest_point(t);
    const int better = preferred(its, nearest);
    out.hidden = better > 0 || (better == 0 && other < partner);
    out.behind &= face_of(other) == face_unknown || is_behind(t, its, face_of(other));
  }
  return out;
}

// Contact of grain i with a triangle of cloth, where both are, without an impulse.
inline ClothTouch cloth_contact(const Fields& f, uint i, uint partner) {
  TALUS_ASSERT(is_triangle(partner) && is_partner(f, partner), i, partner);
  const Grain& grain = f.grains[i];
  const vec3 place(grain.position);
  const Triangle t = triangle_from(f, triangle_of(partner), place);
  const NearestPoint nearest = nearest_point(t);
  const float distance = std::sqrt(nearest.distance2);
  vec3 normal = -nearest.point;
  if (!(distance > 0.0f))
    normal = (face_of(partner) == face_back ? -1.0f : 1.0f) * normal_of(t);
  const float length = length_of(normal);
  ClothTouch c{};
  c.normal = length > 0.0f ? normal / length : vec3(0.0f, 0.0f, 1.0f);
  c.weights = nearest.weights;
  const float reach = grain.position.w + f.grains[t.at[0]].position.w;
  SharedContact shared{false, is_behind(t, nearest, face_of(partner))};
  if (!is_inside(nearest)) {
    shared = shared_contact(f, i, partner, t, nearest, place);
    shared.behind &= distance < reach;
  }
  if (shared.behind)
    c.normal = -c.normal;
  c.gap = shared.hidden ? surface_hidden * grain.position.w : (shared.behind ? -distance : distance) - reach;
  return c;
}

// Of the point of a triangle that these weights of its corners give [m/s].
inline vec3 velocity_at(const Fields& f, uint partner, vec3 weights) {
  vec3 velocity(0.0f);
  for (int k = 0; k < 3; ++k) {
    const uint vertex = triangle_corner(f, triangle_of(partner), static_cast<uint>(k));
    velocity += weights[k] * vec3(f.grains[place_of_vertex(f, vertex)].velocity);
  }
  return velocity;
}
// Likewise, of the parts of its corners' masses that a contact gets [1/kg].
inline float inverse_mass_at(const Fields& f, uint partner, vec3 weights) {
  float inverse_mass = 0.0f;
  for (int k = 0; k < 3; ++k) {
    const uint vertex = triangle_corner(f, triangle_of(partner), static_cast<uint>(k));
    const auto contacts = static_cast<float>(std::max(contacts_of_vertex(f, vertex), 1u));
    inverse_mass += weights[k] * weights[k] * contacts * f.grains[place_of_vertex(f, vertex)].velocity.w;
  }
  return inverse_mass;
}

}  // namespace talus::reference
