#pragma once
// Triangles of cloth, as what touches them sees them.
#include "engine/reference/space.h"
#include "shaders/shared/cloth.h"
#include <array>

namespace talus::reference {

// A triangle seen from a place: its corners from there.
struct Triangle {
  std::array<uint, 3> at;  // their places in memory
  std::array<vec3, 3> corner;
};

inline uint triangle_corner(const Fields& f, uint triangle, uint corner) {
  return f.shape_data[cloth_corner_word(f.settings[0].cloth_words, triangle, corner)];
}
inline uint place_of_vertex(const Fields& f, uint vertex) {
  return f.shape_data[cloth_place_word(f.settings[0].cloth_words, f.settings[0].cloth_triangles, vertex)];
}
inline uint& contacts_of_vertex(Fields& f, uint vertex) {
  const Settings& s = f.settings[0];
  return f.shape_data[cloth_contacts_word(s.cloth_words, s.cloth_triangles, s.cloth, vertex)];
}
inline uint contacts_of_vertex(const Fields& f, uint vertex) {
  return contacts_of_vertex(const_cast<Fields&>(f), vertex);
}

// What of a triangle is nearest to the place.
struct NearestPoint {
  vec3 weights;  // of its corners; 0 of those that are not needed for it
  vec3 point;    // from the place
  float distance2;
};

inline float dot_of(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vec3 cross_of(vec3 a, vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// On a side: from the corner that comes first in memory, so that both triangles of the side find the same.
inline void nearest_on_side(const Triangle& t, int a, int b, NearestPoint& nearest) {
  if (t.at[static_cast<std::size_t>(a)] > t.at[static_cast<std::size_t>(b)])
    std::swap(a, b);
  const vec3 from = t.corner[static_cast<std::size_t>(a)], side = t.corner[static_cast<std::size_t>(b)] - from;
  const float length2 = dot_of(side, side);
  const float share = length2 > 0.0f ? std::clamp(-dot_of(from, side) / length2, 0.0f, 1.0f) : 0.0f;
  const vec3 point = from + share * side;
  const float distance2 = dot_of(point, point);
  if (distance2 >= nearest.distance2)
    return;
  nearest = {vec3(0.0f), point, distance2};
  nearest.weights[a] = 1.0f - share;
  nearest.weights[b] = share;
}

inline NearestPoint nearest_point(const Triangle& t) {
  const vec3 &a = t.corner[0], &b = t.corner[1], &c = t.corner[2];
  const vec3 n = cross_of(b - a, c - a);
  const float n2 = dot_of(n, n);
  const vec3 weights(dot_of(cross_of(b, c), n), dot_of(cross_of(c, a), n), dot_of(cross_of(a, b), n));
  if (n2 > 0.0f && weights.x > 0.0f && weights.y > 0.0f && weights.z > 0.0f) {
    const float height = dot_of(a, n);
    return {weights / (weights.x + weights.y + weights.z), height / n2 * n, height * height / n2};
  }
  NearestPoint nearest{vec3(0.0f), vec3(0.0f), std::numeric_limits<float>::infinity()};
  nearest_on_side(t, 0, 1, nearest);
  nearest_on_side(t, 1, 2, nearest);
  nearest_on_side(t, 2, 0, nearest);
  return nearest;
}

// A triangle of cloth from a place, `moved` before where its corners are.
inline Triangle triangle_from(const Fields& f, uint triangle, vec3 place, float moved) {
  Triangle t;
  for (uint k = 0; k < 3; ++k) {
    t.at[k] = place_of_vertex(f, triangle_corner(f, triangle, k));
    const Grain& g = f.grains[t.at[k]];
    t.corner[k] = shortest(vec3(g.position) - moved * vec3(g.velocity) - place, f.settings[0]);
  }
  return t;
}

// Is what is nearest of `partner` nearer, or found earlier, on another triangle that grain i may touch? Sides and
// corners belong to several.
inline bool is_on_another(const Fields& f, uint i, uint partner, const Triangle& own, const NearestPoint& nearest,
                          vec3 place, float moved) {
  for (uint k = 0; k < f.contact_count[i]; ++k) {
    const uint other = f.contact_partner[contact_slot(f, i, k)];
    if (!is_triangle(other) || other == partner)
      continue;
    const Triangle t = triangle_from(f, other - triangle_partner, place, moved);
    bool shares = true;
    for (std::size_t c = 0; c < 3; ++c)
      shares &= nearest.weights[static_cast<int>(c)] == 0.0f || std::ranges::find(t.at, own.at[c]) != t.at.end();
    if (!shares)
      continue;
    const float distance2 = nearest_point(t).distance2;
    if (distance2 < nearest.distance2 || (distance2 == nearest.distance2 && other < partner))
      return true;
  }
  return false;
}

// Contact of a grain with a triangle of cloth: where both were at the start of the substep, a plane for its length, on
// the side of the grain.
struct ClothContact {
  vec3 normal;         // towards the grain
  float gap;           // m, at the start of the substep; surface_hidden radii where another triangle has the contact
  vec3 velocity;       // m/s, of the point of the triangle, now
  vec3 weights;        // of the corners
  float inverse_mass;  // 1/kg, of the point, of the parts of its corners' masses that the contact gets
};

// moved: s, how far into the substep the positions are.
inline ClothContact cloth_contact(const Fields& f, uint i, uint partner, float moved) {
  const Grain& grain = f.grains[i];
  const vec3 place = vec3(grain.position) - moved * vec3(grain.velocity);
  const Triangle t = triangle_from(f, partner - triangle_partner, place, moved);
  const NearestPoint nearest = nearest_point(t);
  const float distance = std::sqrt(nearest.distance2);
  vec3 normal = -nearest.point;
  if (!(distance > 0.0f))
    normal = cross_of(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
  const float length = length_of(normal);
  ClothContact c{length > 0.0f ? normal / length : vec3(0.0f, 0.0f, 1.0f), 0.0f, vec3(0.0f), nearest.weights, 0.0f};
  for (std::size_t k = 0; k < 3; ++k) {
    const Grain& g = f.grains[t.at[k]];
    const float weight = nearest.weights[static_cast<int>(k)];
    const uint contacts = contacts_of_vertex(f, triangle_corner(f, partner - triangle_partner, static_cast<uint>(k)));
    c.velocity += weight * vec3(g.velocity);
    c.inverse_mass += weight * weight * static_cast<float>(std::max(contacts, 1u)) * g.velocity.w;
  }
  c.gap = distance - grain.position.w - f.grains[t.at[0]].position.w;
  const bool shared = nearest.weights.x == 0.0f || nearest.weights.y == 0.0f || nearest.weights.z == 0.0f;
  if (shared && is_on_another(f, i, partner, t, nearest, place, moved))
    c.gap = surface_hidden * grain.position.w;
  return c;
}

}  // namespace talus::reference
