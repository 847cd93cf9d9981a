#pragma once
// Places in the domain, as the reference passes see them.
#include "engine/reference/rigid.h"
#include "engine/reference/solid.h"
#include "engine/reference/triangle.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <atomic>
#include <cmath>

namespace talus::reference {

inline uint world_of(uint tag) {
  return tag >> tag_world_shift;
}
inline uint material_of(uint tag) {
  return tag & tag_material_mask;
}
inline bool is_gone(const Grain& grain) {
  return grain.position.w == 0.0f;
}
inline uint slices_of(uint grains) {
  return (grains + slice_grains - 1) / slice_grains;
}

inline ivec3 wrap_cell(ivec3 cell, const Status& status) {
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], status.cells[a]);
  return cell;
}

inline ivec3 cell_of(vec3 p, const Settings& settings, const Status& status) {
  ivec3 cell;
  for (int a = 0; a < 3; ++a)
    cell[a] =
        static_cast<int>(std::floor(std::clamp((p[a] - settings.domain_min[a]) * status.inverse_cell[a], -1e6f, 1e6f)));
  return wrap_cell(cell, status);
}

// d, or its image across a periodic axis that is shorter.
inline vec3 shortest(vec3 d, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic) {
      const float edge = settings.domain_max[a] - settings.domain_min[a];
      if (d[a] > 0.5f * edge)
        d[a] -= edge;
      else if (d[a] < -0.5f * edge)
        d[a] += edge;
    }
  return d;
}

// Written out: the order of the additions is part of the result.
inline float squared(vec3 d) {
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

inline float wall_distance(vec3 p, uint wall, const Settings& settings) {
  const int a = static_cast<int>(wall / 2);
  return wall % 2 == 0 ? p[a] - settings.domain_min[a] : settings.domain_max[a] - p[a];
}

inline vec3 wall_normal(uint wall) {
  vec3 n(0.0f);
  n[static_cast<int>(wall / 2)] = wall % 2 == 0 ? 1.0f : -1.0f;
  return n;
}

// Slot of the k-th contact of grain i, in the lists whose slices begin at `start`.
inline std::size_t row_slot(const std::vector<uint>& start, uint i, uint k) {
  return (static_cast<std::size_t>(start[i / slice_grains]) + k) * slice_grains + i % slice_grains;
}
inline std::size_t contact_slot(const Fields& f, uint i, uint k) {
  return row_slot(f.slice_start, i, k);
}

// Writes what a slot of grain i holds to its partner's slot of the same contact, with the tangential part opposite.
// Where both sides do not compute it: one after another.
inline void mirror_sum(Fields& f, uint i, uint partner, std::size_t slot) {
  uint back = 0;
  while (f.contact_partner[contact_slot(f, partner, back)] != i)
    ++back;
  const vec4 sum = f.contact_sum[slot];
  f.contact_sum[contact_slot(f, partner, back)] = vec4(-vec3(sum), sum.w);
}

// Contact of grain i with a partner, seen from the grain.
struct Contact {
  vec3 normal;         // towards the grain
  float gap;           // m, negative: overlap
  vec3 velocity;       // m/s, of the partner
  float radius;        // m, of the partner; that of a wall, a body or cloth is the grain's own
  float inverse_mass;  // 1/kg, of the partner
  float across;        // 1/kg, likewise for what acts across the normal, at most
  vec3 point{0.0f};    // m, of a body's surface, from its origin; of cloth: weights of the triangle's corners

  // Share of a push along the normal that one across it is, on a grain of inverse mass w: a dynamic body may be moved
  // more easily that way.
  float across_share(float w) const { return across == inverse_mass ? 1.0f : (w + inverse_mass) / (w + across); }
};

// Distance of a grain of radius r from a surface of a body. Of several that it may touch at once, none counts twice.
inline Distance touched(const Fields& f, uint body, uint surface, vec3 offset, float r) {
  const NearestSurface nearest = from_body(f, body, offset);
  if (surface == nearest.surface)
    return nearest;
  const Distance own = from_body_surface(f, body, surface, offset);
  const vec3 above = offset - (own.value - corner_above * r) * own.gradient;
  const bool counts = own.value > 0.0f && glm::dot(own.gradient, nearest.gradient) < corner_turn &&
                      from_body(f, body, above).surface == surface;
  return counts ? own : Distance{own.gradient, surface_hidden * r};
}

// Contact with a surface of a body: where the grain was at the start of the substep, a plane for its length. Whatever
// the grain's way, it does not get behind it.
inline Contact contact_with_body(const Fields& f, uint i, uint partner, float moved, float overlap_most) {
  const Grain& grain = f.grains[i];
  const uint body = body_of(partner);
  const BodyMotion& motion = f.bodies[body].motion;
  const vec3 way = moved * vec3(grain.velocity);
  const vec3 offset = shortest(vec3(grain.position) - way - motion.position, f.settings[0]);
  const Distance d = touched(f, body, surface_of(partner), offset, grain.position.w);
  const vec3 point = offset - d.value * d.gradient;
  const vec3 velocity = velocity_at(motion, point);
  const Mobility ease = mobility(f.bodies[body], point, d.gradient);
  const float r = grain.position.w, gap = std::max(d.value - r, -overlap_most * r);
  return {d.gradient, gap + glm::dot(way - moved * velocity, d.gradient), velocity, r, ease.along, ease.across, point};
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

// Contact with a triangle of cloth: where all were at the start of the substep, a plane for its length, on the side of
// the grain.
inline Contact contact_with_triangle(const Fields& f, uint i, uint partner, float moved, float overlap_most) {
  const Grain& grain = f.grains[i];
  const float r = grain.position.w;
  const vec3 way = moved * vec3(grain.velocity), place = vec3(grain.position) - way;
  const Triangle t = triangle_from(f, partner - triangle_partner, place, moved);
  const NearestPoint nearest = nearest_point(t);
  const float distance = std::sqrt(nearest.distance2);
  vec3 normal = -nearest.point;
  if (!(distance > 0.0f))
    normal = cross_of(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
  const float length = length_of(normal);
  normal = length > 0.0f ? normal / length : vec3(0.0f, 0.0f, 1.0f);
  Contact c{normal, 0.0f, vec3(0.0f), r, 0.0f, 0.0f, nearest.weights};
  for (std::size_t k = 0; k < 3; ++k) {
    const Grain& g = f.grains[t.at[k]];
    const float weight = nearest.weights[static_cast<int>(k)];
    const uint contacts = contacts_of_vertex(f, triangle_corner(f, partner - triangle_partner, static_cast<uint>(k)));
    c.velocity += weight * vec3(g.velocity);
    c.inverse_mass += weight * weight * static_cast<float>(std::max(contacts, 1u)) * g.velocity.w;
  }
  c.across = c.inverse_mass;
  const float gap = std::max(distance - r - f.grains[t.at[0]].position.w, -overlap_most * r);
  c.gap = gap + glm::dot(way - moved * c.velocity, normal);
  const bool shared = nearest.weights.x == 0.0f || nearest.weights.y == 0.0f || nearest.weights.z == 0.0f;
  if (shared && is_on_another(f, i, partner, t, nearest, place, moved))
    c.gap = surface_hidden * r;
  return c;
}

// moved: s, how far into the substep the positions are; bodies still are where it started. overlap_most: with a body,
// in radii.
inline Contact contact_with(const Fields& f, uint i, uint partner, float moved = 0.0f,
                            float overlap_most = body_overlap_most) {
  const vec3 p(f.grains[i].position);
  const float r = f.grains[i].position.w;
  if (is_triangle(partner))
    return contact_with_triangle(f, i, partner, moved, overlap_most);
  if (partner >= body_partner && partner < wall_partner)
    return contact_with_body(f, i, partner, moved, overlap_most);
  if (partner >= wall_partner) {
    const uint wall = partner - wall_partner;
    return {wall_normal(wall), wall_distance(p, wall, f.settings[0]) - r, vec3(0.0f), r, 0.0f, 0.0f};
  }
  const Grain& other = f.grains[partner];
  const vec3 d = shortest(p - vec3(other.position), f.settings[0]);
  const float distance = std::sqrt(squared(d));
  // Coincident centres part along z, the one first in memory upwards.
  const vec3 normal = distance > 0.0f ? d / distance : vec3(0.0f, 0.0f, i < partner ? 1.0f : -1.0f);
  return {normal,          distance - (r + other.position.w), vec3(other.velocity), other.position.w, other.velocity.w,
          other.velocity.w};
}

// Law of grain i's contact with a partner.
inline const PairLaw& law_of(const Fields& f, uint i, uint partner) {
  const uint materials = f.settings[0].materials;
  const uint other =
      partner >= wall_partner   ? materials
      : partner >= body_partner ? f.bodies[body_of(partner)].material
      : is_triangle(partner)
          ? material_of(f.grain_tag[place_of_vertex(f, triangle_corner(f, partner - triangle_partner, 0))])
          : material_of(f.grain_tag[partner]);
  return f.pair_laws[material_of(f.grain_tag[i]) * (materials + 1) + other];
}

template <class T> void atomic_max(T& target, T value) {
  std::atomic_ref<T> atom(target);
  for (T seen = atom.load(); seen < value && !atom.compare_exchange_weak(seen, value);) {
  }
}
template <class T> void atomic_min(T& target, T value) {
  std::atomic_ref<T> atom(target);
  for (T seen = atom.load(); seen > value && !atom.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace talus::reference
