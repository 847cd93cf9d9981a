#pragma once
// Places in the domain, as the reference passes see them.
#include "engine/base/atomic_ref.h"
#include "engine/reference/laws.h"
#include "engine/reference/rigid.h"
#include "engine/reference/solid.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <cmath>
#include <span>

namespace talus::reference {

inline uint material_of(uint tag) {
  return tag & tag_material_mask;
}
inline bool is_gone(const Grain& grain) {
  return grain.position.w == 0.0f;
}
inline uint slices_of(uint grains) {
  return (grains + slice_grains - 1) / slice_grains;
}

// Of the batch, from 0.
inline uint step_of_batch(const Args& args, const Fields& f) {
  TALUS_ASSERT(f.status[0].step >= args.batch, f.status[0].step, args.batch);
  return f.status[0].step - args.batch;
}

// World of the place of a grain, and the end of a world's places.
inline uint world_of(const Fields& f, uint i) {
  TALUS_ASSERT(f.settings[0].worlds.count == 1 || i / f.settings[0].worlds.places < f.settings[0].worlds.count, i,
               f.settings[0].worlds.places, f.settings[0].worlds.count);
  return f.settings[0].worlds.count == 1 ? 0 : i / f.settings[0].worlds.places;
}
inline uint places_end(const Args& args, const Fields& f, uint world) {
  TALUS_ASSERT(world < f.settings[0].worlds.count, world, f.settings[0].worlds.count);
  return f.settings[0].worlds.count == 1 ? args.grains : (world + 1) * f.settings[0].worlds.places;
}

// Has a point of a body moved further, since lists that are rebuilt incrementally have known of it, than a grain may
// that keeps its place in them? Where the origin has gone by p, and the quaternion has changed by q, no point has moved
// by more than |p| + 2 reach |q|: each may be half of the distance.
inline bool has_moved(const Fields& f, std::size_t body) {
  const BodyMotion &now = f.bodies[body].motion, &listed = f.body_listed[body];
  const vec3 p = now.position - listed.position;
  const vec4 q = now.rotation - listed.rotation;
  const float reach = std::min(f.bodies[body].reach, 1e15f), distance = f.worlds[0].incremental.distance;
  const float q2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return 4.0f * squared(p) > distance * distance || 16.0f * (reach * reach) * q2 > distance * distance;
}

// Do so many grains need a new place in the lists that rebuilding them incrementally is dearer than to build them?
inline bool too_many_displaced(const World& world) {
  return static_cast<float>(world.incremental.displaced) > world.incremental.displaced_most;
}

inline ivec3 wrap_cell(ivec3 cell, const World& world) {
  for (int a = 0; a < 3; ++a)
    cell[a] = grid_wrap(cell[a], world.grid.cells[a]);
  return cell;
}

inline ivec3 cell_of(vec3 p, const Settings& settings, const World& world) {
  ivec3 cell;
  for (int a = 0; a < 3; ++a)
    cell[a] = static_cast<int>(
        std::floor(std::clamp((p[a] - settings.domain.min[a]) * world.grid.inverse_cell[a], -1e6f, 1e6f)));
  return wrap_cell(cell, world);
}

// A cell in the tables of the worlds that rebuild, one after another.
inline uint cell_key(ivec3 cell, const World& world, const Settings& settings) {
  TALUS_ASSERT(world.lists.table < settings.worlds.count, world.lists.table, settings.worlds.count);
  return world.lists.table * grid_cells(settings.grid.bits) + grid_key(cell, settings.grid.bits);
}

// Passes that rebuild lists go through the worlds that do so, one after another, as if there were no others: the place
// in memory of an element of theirs; that of all grains or more behind the last one.
inline uint rebuilt_place(const Fields& f, uint element) {
  const Settings& settings = f.settings[0];
  return settings.worlds.count == 1 ? element
                                    : f.rebuilding[element / settings.worlds.places] * settings.worlds.places +
                                          element % settings.worlds.places;
}

// The place of the first grain of a cell; of the cell behind the last one of a world: behind its last grain that is
// there. grid_start counts those of all worlds that rebuild.
inline uint first_in_cell(const Fields& f, uint key, uint world) {
  const Settings& settings = f.settings[0];
  TALUS_ASSERT(f.worlds[world].lists.table < settings.worlds.count, world, f.worlds[world].lists.table);
  TALUS_ASSERT(key >= f.worlds[world].lists.table * grid_cells(settings.grid.bits) &&
                   key <= (f.worlds[world].lists.table + 1) * grid_cells(settings.grid.bits),
               key, f.worlds[world].lists.table);
  TALUS_ASSERT(f.grid_start[key] >= f.grid_start[f.worlds[world].lists.table * grid_cells(settings.grid.bits)], key,
               f.grid_start[key]);
  return world * settings.worlds.places + f.grid_start[key] -
         f.grid_start[f.worlds[world].lists.table * grid_cells(settings.grid.bits)];
}

// d, or its image across a periodic axis that is shorter.
inline vec3 shortest(vec3 d, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      d[a] = shorter(d[a], settings.domain.max[a] - settings.domain.min[a]);
  return d;
}

inline float wall_distance(vec3 p, uint wall, const Settings& settings) {
  TALUS_ASSERT(wall < 6, wall);
  return wall_distance(p, wall, settings.domain.min, settings.domain.max);
}

// Rows of its world before those of a slice: slices of a world are followed by the end of its last one.
inline uint rows_before(const Fields& f, uint slice, uint world) {
  TALUS_ASSERT(world < f.settings[0].worlds.count, world, f.settings[0].worlds.count);
  return f.slice_start[slice + world];
}
// The width of a slice that the lists were built with, in rows.
inline uint rows_of(const Fields& f, uint slice, uint world) {
  const uint first = rows_before(f, slice, world), end = rows_before(f, slice + 1, world);
  TALUS_ASSERT(first <= end && end <= f.settings[0].worlds.rows, slice, world, first, end, f.settings[0].worlds.rows);
  return end - first;
}
// Is there room for so many contacts in the row of grain i?
inline bool has_rows(const Fields& f, uint i, uint contacts) {
  return contacts == 0 || contacts <= rows_of(f, i / slice_grains, world_of(f, i));
}
// .. in the lists that are being built, among those of all worlds. slice_start_next counts those of all that rebuild.
inline uint next_row(const Fields& f, uint slice, uint world) {
  const Settings& settings = f.settings[0];
  const uint slices = settings.worlds.places / slice_grains, first = f.worlds[world].lists.table * slices;
  TALUS_ASSERT(f.worlds[world].lists.table < settings.worlds.count && slice >= world * slices, slice, world,
               f.worlds[world].lists.table);
  TALUS_ASSERT(f.slice_start_next[first + slice - world * slices] >= f.slice_start_next[first], slice, world, first);
  return world * settings.worlds.rows + f.slice_start_next[first + slice - world * slices] - f.slice_start_next[first];
}

// Slot of the k-th contact of grain i.
inline std::size_t contact_slot(const Fields& f, uint i, uint k) {
  const uint world = world_of(f, i);
  TALUS_ASSERT(k == 0 || k < rows_of(f, i / slice_grains, world), i, k, world);
  const std::size_t row = world * f.settings[0].worlds.rows + rows_before(f, i / slice_grains, world) + k;
  return row * slice_grains + i % slice_grains;
}
inline std::size_t next_slot(const Fields& f, uint i, uint k) {
  TALUS_ASSERT(k == 0 || next_row(f, i / slice_grains, world_of(f, i)) + k <
                             next_row(f, i / slice_grains + 1, world_of(f, i)),
               i, k);
  return (std::size_t{next_row(f, i / slice_grains, world_of(f, i))} + k) * slice_grains + i % slice_grains;
}
// How many it may have there.
inline uint next_rows(const Fields& f, uint i) {
  const uint slice = i / slice_grains, world = world_of(f, i);
  TALUS_ASSERT(next_row(f, slice, world) <= next_row(f, slice + 1, world), slice, world);
  TALUS_ASSERT(next_row(f, slice + 1, world) <= (world + 1) * f.settings[0].worlds.rows, slice, world,
               f.settings[0].worlds.rows);
  return next_row(f, slice + 1, world) - next_row(f, slice, world);
}

// Does a partner, among those of all worlds, name something that there is?
inline bool is_partner(const Fields& f, uint partner) {
  if (is_grain(partner))
    return partner < f.grains.size();
  if (is_triangle(partner))
    return triangle_of(partner) < f.settings[0].worlds.count * f.settings[0].cloth.triangles;
  return partner < wall_partner ? body_of(partner) < f.bodies.size() : partner - wall_partner < 6;
}

// The partner of grain i in a slot of its row, among those of all worlds, and as lists name it.
inline uint partner_at(const Fields& f, uint i, std::size_t slot) {
  const Settings& settings = f.settings[0];
  const uint partner = partner_in_all(f.contact_partner[slot], world_of(f, i), settings.worlds.places,
                                      settings.bodies.count, settings.cloth.triangles);
  TALUS_ASSERT(is_partner(f, partner) && partner != i, i, slot, f.contact_partner[slot]);
  return partner;
}
inline uint in_lists(const Fields& f, uint i, uint partner) {
  const Settings& settings = f.settings[0];
  TALUS_ASSERT(is_partner(f, partner) && partner != i, i, partner);
  return partner_in_world(partner, world_of(f, i), settings.worlds.places, settings.bodies.count,
                          settings.cloth.triangles);
}

// The state of contacts lies component by component, as in shared/slots.glsl.
inline std::size_t first_component(std::size_t slot, uint components) {
  TALUS_ASSERT(components > 0, components);
  return components * slot - (components - 1) * (slot % slice_grains);
}
inline std::size_t state_at(const Fields& f, std::size_t slot, uint component) {
  const uint words = f.settings[0].contacts.state_words;
  TALUS_ASSERT(component < words, component, words);
  return first_component(slot, words) + component * slice_grains;
}
inline std::size_t sum_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.sum);
}
inline std::size_t normal_at(const Fields& f, std::size_t slot) {  // w of the sum
  return state_at(f, slot, f.settings[0].contacts.sum + 3);
}
inline std::size_t shear_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.shear);
}
inline std::size_t roll_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.roll);
}
inline std::size_t roll_sum_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.roll_sum);
}
inline std::size_t roll_change_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.roll_change);
}
inline std::size_t change_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.change);
}
inline std::size_t friction_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.friction);
}
inline std::size_t rebound_at(const Fields& f, std::size_t slot) {
  return state_at(f, slot, f.settings[0].contacts.rebound);
}
inline vec3 vec3_at(std::span<const float> of, std::size_t at) {
  TALUS_ASSERT(at + 2 * slice_grains < of.size(), at, of.size());
  const float* const x = &of[at];
  return {x[0], x[slice_grains], x[2 * slice_grains]};
}
inline vec4 vec4_at(std::span<const float> of, std::size_t at) {
  TALUS_ASSERT(at + 3 * slice_grains < of.size(), at, of.size());
  const float* const x = &of[at];
  return {x[0], x[slice_grains], x[2 * slice_grains], x[3 * slice_grains]};
}
template <glm::length_t n> void put(std::span<float> to, std::size_t at, const glm::vec<n, float>& value) {
  TALUS_ASSERT(at + (n - 1) * slice_grains < to.size(), at, n, to.size());
  float* const x = &to[at];
  for (glm::length_t k = 0; k < n; ++k)
    x[static_cast<uint>(k) * slice_grains] = value[k];
}

// Calls touch(slot) for the contacts of grain i but those with cloth.
template <class Touch> void each_contact(const Fields& f, uint i, Touch touch) {
  TALUS_ASSERT(has_rows(f, i, f.contact_count[i]), i, f.contact_count[i]);
  for (uint k = 0; k < f.contact_count[i]; ++k)
    if (const std::size_t slot = contact_slot(f, i, k); !is_triangle(f.contact_partner[slot]))
      touch(slot);
}

// Writes what a slot of grain i holds to its partner's slot of the same contact, with the tangential part opposite.
// Where both sides do not compute it: one after another.
inline void mirror_sum(Fields& f, uint i, uint partner, std::size_t slot) {
  uint back = 0;
  while (partner_at(f, partner, contact_slot(f, partner, back)) != i) {
    ++back;
    TALUS_ASSERT(back < f.contact_count[partner], i, partner, f.contact_count[partner]);
  }
  TALUS_ASSERT(is_grain(partner) && partner != i, i, partner);
  const std::size_t other = contact_slot(f, partner, back);
  const vec4 sum = vec4_at(f.contact_state, sum_at(f, slot));
  put(f.contact_state, sum_at(f, other), vec4(-vec3(sum), sum.w));
  if (f.settings[0].solver.rotation == rotation_rolling)
    put(f.contact_state, roll_sum_at(f, other), -vec3_at(f.contact_state, roll_sum_at(f, slot)));
}

// Distance of a grain of radius r from a surface of a body. Of several that it may touch at once, none counts twice.
inline Distance touched(const Fields& f, uint body, uint surface, vec3 offset, float r) {
  if (const auto part = surface > 0 ? only_triangles(f, body) : std::nullopt)
    return from_hollow(f, *part, body, surface - 1, offset, r);
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
  TALUS_ASSERT(f.bodies[body].parts > 0, i, partner, body);
  const vec3 way = moved * vec3(grain.velocity);
  const vec3 offset = shortest(vec3(grain.position) - way - motion.position, f.settings[0]);
  const Distance d = touched(f, body, surface_of(partner), offset, grain.position.w);
  const vec3 point = offset - d.value * d.gradient;
  const vec3 velocity = velocity_at(motion, point);
  const Mobility ease = mobility(f.bodies[body], point, d.gradient);
  const float r = grain.position.w, gap = std::max(d.value - r, -overlap_most * r);
  return {d.gradient, gap + glm::dot(way - moved * velocity, d.gradient), velocity, r, ease.along, ease.across, point};
}

// Contact of grain i with a partner. moved: s, how far into the substep the positions are; bodies still are where it
// started. overlap_most: with a body, in radii. one_division: of contact_of_grains.
template <bool one_division = false>
Contact contact_with(const Fields& f, uint i, uint partner, float moved = 0.0f,
                     float overlap_most = body_overlap_most) {
  TALUS_ASSERT(is_partner(f, partner) && !is_triangle(partner) && partner != i, i, partner);
  const vec3 p(f.grains[i].position);
  const float r = f.grains[i].position.w;
  if (partner >= body_partner && partner < wall_partner)
    return contact_with_body(f, i, partner, moved, overlap_most);
  if (partner >= wall_partner) {
    const uint wall = partner - wall_partner;
    return contact_of_wall(wall_normal(wall), wall_distance(p, wall, f.settings[0]), r);
  }
  const Grain& other = f.grains[partner];
  return contact_of_grains(shortest(p - vec3(other.position), f.settings[0]), r, vec3(other.velocity), other.position.w,
                           other.velocity.w, i < partner ? 1.0f : -1.0f, one_division);
}

// The spins of both sides of the contact c of grain i with a partner, as the laws take them; where grains rotate.
inline Turn turn_with(const Fields& f, uint i, uint partner, const Contact& c) {
  const vec4 own = f.grain_spin[i];
  const float w = f.grains[i].velocity.w, r = f.grains[i].position.w;
  if (partner >= body_partner)
    return turn_of_plane(c, vec3(own), own.w, w, r,
                         partner < wall_partner ? f.bodies[body_of(partner)].motion.spin : vec3(0.0f));
  const vec4 other = f.grain_spin[partner];
  return turn_of_grains(c, vec3(own), own.w, w, r, vec3(other), other.w, 1.0f / (r + c.radius));
}

// Law of grain i's contact with a partner.
inline const PairLaw& law_of(const Fields& f, uint i, uint partner) {
  const uint materials = f.settings[0].contacts.materials;
  const uint other = partner >= wall_partner   ? materials
                     : partner >= body_partner ? f.bodies[body_of(partner)].material
                                               : material_of(f.grain_tag[partner]);
  TALUS_ASSERT(material_of(f.grain_tag[i]) < materials && other <= materials, i, partner, other, materials);
  return f.pair_laws[material_of(f.grain_tag[i]) * (materials + 1) + other];
}

template <class T> void atomic_max(T& target, T value) {
  atomic_ref<T> atom(target);
  for (T seen = atom.load(); seen < value && !atom.compare_exchange_weak(seen, value);) {
  }
}
template <class T> void atomic_min(T& target, T value) {
  atomic_ref<T> atom(target);
  for (T seen = atom.load(); seen > value && !atom.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace talus::reference
