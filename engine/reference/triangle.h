#pragma once
// Triangles of cloth, as what touches them sees them.
#include "engine/reference/solid.h"
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

}  // namespace talus::reference
