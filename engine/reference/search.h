#pragma once
// What a grain may touch.
#include "engine/base/atomic_ref.h"
#include "engine/reference/activity.h"
#include "engine/reference/clumps.h"
#include "engine/reference/triangle.h"
#include "shaders/shared/row.h"
#include <algorithm>
#include <bit>

namespace talus::reference {

// Particles of one shape do not touch each other.
inline bool same_shape(const Fields& f, uint i, uint j) {
  TALUS_ASSERT(i != j, i);
  const Settings& settings = f.settings[0];
  const uint a = f.grain_id[i] - settings.shapes.first, b = f.grain_id[j] - settings.shapes.first;
  return a < settings.shapes.particles && b < settings.shapes.particles &&
         f.shape_data[settings.shapes.words + a] == f.shape_data[settings.shapes.words + b];
}

// May grain i, vertex `self`, touch triangle t of cloth? Where it comes near the box around it.
inline bool near_triangle(const Fields& f, uint i, uint self, uint t, vec3 p, float radius) {
  const Settings& settings = f.settings[0];
  vec3 low(1e30f), high(-1e30f);
  for (uint k = 0; k < 3; ++k) {
    const uint j = place_of_vertex(f, triangle_corner(f, t, k));
    if (j == i)
      return false;
    const vec3 from = shortest(vec3(f.grains[j].position) - p, settings);
    low = glm::min(low, from);
    high = glm::max(high, from);
  }
  const uint own = triangle_corner(f, t, 0), cloth = cloth_of_vertex(f, own);
  if (self < settings.cloth.vertices && cloth >= cloth_apart && cloth_of_vertex(f, self) == cloth)
    return false;
  const float reach = radius + f.grains[place_of_vertex(f, own)].position.w + f.worlds[world_of(f, i)].lists.skin;
  return squared(glm::max(glm::max(low, -high), vec3(0.0f))) < reach * reach;
}

// Calls found(partner) for the triangles that grain i may touch, in the cells, two along each axis, that its reach
// meets.
template <class Found> void search_triangles(const Fields& f, uint i, Found found) {
  const Settings& s = f.settings[0];
  const uint number = world_of(f, i);
  const World& world = f.worlds[number];
  const vec3 p(f.grains[i].position);
  const uint self = f.grain_id[i] - s.cloth.first;
  const ivec3 low = cloth_cell_of(p - world.cloth.reach, s, world);
  ivec3 last(1);
  for (int a = 0; a < 3; ++a) {  // on a periodic axis the two may share a place in the table
    const int next = grid_wrap(low[a] + 1, world.cloth.cells[a]);
    last[a] = ((low[a] ^ next) & ((1 << s.cloth.bits[a]) - 1)) != 0;
  }
  for (int z = 0; z <= last.z; ++z)
    for (int y = 0; y <= last.y; ++y)
      for (int x = 0; x <= last.x; ++x) {
        ivec3 cell = low + ivec3(x, y, z);
        for (int a = 0; a < 3; ++a)
          cell[a] = grid_wrap(cell[a], world.cloth.cells[a]);
        const uint key = grid_key(cell, s.cloth.bits);
        const uint end = first_triangle(f, number, key + 1);
        TALUS_ASSERT(end <= (number + 1) * s.cloth.triangles, key, end, s.cloth.triangles);
        for (uint k = first_triangle(f, number, key); k < end; ++k) {
          const uint t = triangle_in_order(f, k);
          if (near_triangle(f, i, self, t, p, f.grains[i].position.w))
            found(triangle_contact(t, face_unknown));
        }
      }
}

// By what the grains around a place are found: in cells that they are sorted by, from linked lists, or, of lists that
// are rebuilt incrementally, by their positions in the lists: in cells those that have kept it, and the others from
// linked lists.
enum class Neighbourhood { sorted, linked, incremental };

// Where a grain is for its list.
template <Neighbourhood by> vec3 position_of(const Fields& f, uint i) {
  return vec3(by == Neighbourhood::incremental ? f.list_position[i] : f.grains[i].position);
}

// May grain i, of this place, touch grain j before the lists are built again? No vertices of cloth.
template <Neighbourhood by> bool may_touch(const Fields& f, uint i, vec3 p, uint j, const World& world) {
  const Settings& settings = f.settings[0];
  const float reach = f.grains[i].position.w + f.grains[j].position.w + world.lists.skin;
  return j != i && squared(shortest(p - position_of<by>(f, j), settings)) < reach * reach &&
         !(settings.shapes.particles > 0 && same_shape(f, i, j)) &&
         !(settings.clumps.kinds > 0 && same_clump(f, i, j)) &&
         (f.grains[i].velocity.w > 0.0f || f.grains[j].velocity.w > 0.0f);  // two fixed ones do nothing
}

// In cell_lists: the head of a cell's linked list, and the link of a grain.
inline std::size_t head_at(const Settings& settings, uint cell) {
  return link_head_word(settings.worlds.count * grid_cells(settings.grid.bits), settings.bodies.count, cell);
}
inline std::size_t link_at(const Settings& settings, uint i) {
  return link_word(settings.worlds.count * grid_cells(settings.grid.bits), settings.bodies.count, i);
}

// Links grain i, which has another place in the lists than the one that it was sorted by, to the cell of that place.
// displaced: it has just got it.
inline void link(Fields& f, uint i, bool displaced) {
  TALUS_ASSERT(i < link_end, i);
  const Settings& settings = f.settings[0];
  World& world = f.worlds[0];
  const ivec3 cell = cell_of(vec3(f.list_position[i]), settings, world);
  const uint key = cell_key(cell, world, settings);
  const uint other = atomic_ref(f.cell_lists[head_at(settings, key)]).exchange(i);
  TALUS_ASSERT(other == link_end || other < f.grains.size(), i, other);
  f.cell_lists[link_at(settings, i)] = other | (displaced ? link_new : 0u);
  atomic_ref(world.incremental.linked).fetch_add(1);
  if (!displaced)
    return;
  atomic_ref(world.incremental.displaced).fetch_add(1);
  if (settings.bodies.count == 0)
    return;
  atomic_ref(f.cell_taken[key]).store(1, std::memory_order_relaxed);
  for (int a = 0; a < 3; ++a) {
    atomic_min(world.grid.low[a], cell[a]);
    atomic_max(world.grid.high[a], cell[a]);
  }
}

// Calls visit(j) for the grains that are linked to a cell.
template <class Visit> void each_linked(const Fields& f, uint key, Visit visit) {
  [[maybe_unused]] std::size_t visited = 0;
  const std::size_t grains = f.grains.size(), links = link_at(f.settings[0], 0);
  for (uint j = f.cell_lists[head_at(f.settings[0], key)]; j < grains; j = f.cell_lists[links + j] & link_mask) {
    ++visited;
    TALUS_ASSERT(visited <= grains, key, j);  // else a list leads back to itself
    visit(j);
  }
}

// Calls found(partner) for the grains that grain i may touch before the lists are built again, in cell order.
template <Neighbourhood by = Neighbourhood::sorted, class Found>
void search_grains(const Fields& f, uint i, Found found) {
  const Settings& settings = f.settings[0];
  const uint number = world_of(f, i);
  const World& world = f.worlds[number];
  if (f.grain_id[i] - settings.cloth.first < settings.cloth.vertices)  // vertices of cloth touch triangles alone
    return;
  const vec3 p = position_of<by>(f, i);
  const ivec3 home = cell_of(p, settings, world);
  const auto key_at = [&](int x, int y, int z) {
    return cell_key(wrap_cell(home + ivec3(x, y, z), world), world, settings);
  };
  const auto visit = [&](uint j) {
    if (f.grain_id[j] - settings.cloth.first >= settings.cloth.vertices && may_touch<by>(f, i, p, j, world))
      found(j);
  };
  const auto visit_cells = [&](uint first, uint last) {
    const uint end = first_in_cell(f, last + 1, number);
    TALUS_ASSERT(first <= last && first_in_cell(f, first, number) <= end && end <= f.grains.size(), first, last, end);
    for (uint j = first_in_cell(f, first, number); j < end; ++j)
      if (by != Neighbourhood::incremental || f.list_position[j].w > 0.0f)
        visit(j);
  };
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1 && by != Neighbourhood::sorted; ++x)
        each_linked(f, key_at(x, y, z), visit);
      if (by == Neighbourhood::linked)
        continue;
      if (const uint first = key_at(-1, y, z), last = key_at(1, y, z); last == first + 2) {
        visit_cells(first, last);  // three cells in a row of x are one stretch of memory
      } else {
        for (int x = -1; x <= 1; ++x)
          visit_cells(key_at(x, y, z), key_at(x, y, z));
      }
    }
}

// .. for triangles of cloth, then bodies, then walls.
template <Neighbourhood by = Neighbourhood::sorted, class Found>
void search_others(const Args& args, const Fields& f, uint i, Found found) {
  const Settings& settings = f.settings[0];
  const uint number = world_of(f, i);
  const World& world = f.worlds[number];
  const vec3 p = position_of<by>(f, i), v = glm::abs(vec3(f.grains[i].velocity));
  const float radius = f.grains[i].position.w;
  if (settings.cloth.vertices > 0)
    search_triangles(f, i, found);
  const uint words = body_words(settings.bodies.count);
  const uint home = words > 0 ? cell_key(cell_of(p, settings, world), world, settings) * words : 0;
  for (uint word = 0; word < words; ++word)
    for (uint bits = f.cell_lists[home + word]; bits; bits &= bits - 1) {
      const uint body = number * settings.bodies.count + 32 * word + static_cast<uint>(std::countr_zero(bits));
      TALUS_ASSERT(body < (number + 1) * settings.bodies.count && f.bodies[body].parts > 0, i, body, number);
      const vec3 offset = shortest(p - f.bodies[body].motion.position, settings);
      if (const auto mesh = only_triangles(f, body)) {  // its triangles are looked through once
        const Surroundings around = around_mesh(f, *mesh, body, offset, radius + world.lists.skin);
        if (around.distance < radius + world.lists.skin)
          for (uint s = around.hollow ? 1 : 0; s <= (around.hollow ? hollow_surfaces : 0); ++s)
            found(surface_partner(body, s));
        continue;
      }
      const NearestSurface nearest = from_body(f, body, offset);
      if (nearest.value >= radius + world.lists.skin)
        continue;
      // Of a body of several parts all surfaces that may turn out to be the nearest one, or a second one in a corner.
      for (uint k = 0; k < f.bodies[body].parts; ++k)
        for (uint s = 0; s < surfaces_of(part_kind(f, f.bodies[body].first_part + k)); ++s) {
          const uint surface = part_surfaces * k + s;
          if (surface != nearest.surface) {
            const float d = from_body_surface(f, body, surface, offset).value;
            if (d <= -world.lists.skin || d >= radius + world.lists.skin)
              continue;
          }
          found(surface_partner(body, surface));
        }
    }
  const float reach = radius + world.lists.skin + 2.0f * args.h * (v.x + v.y + v.z);
  for (uint wall = 0; wall < 6; ++wall)
    if (settings.domain.axis[static_cast<int>(wall / 2)] == axis_wall && wall_distance(p, wall, settings) < reach)
      found(wall_partner + wall);
}

// .. for all of them, in this order.
template <Neighbourhood by = Neighbourhood::sorted, class Found>
void search(const Args& args, const Fields& f, uint i, Found found) {
  if (is_gone(f.grains[i]))
    return;
  search_grains<by>(f, i, found);
  search_others<by>(args, f, i, found);
}

// A partner into a row that is searched, grains by number: those that have strayed come in any order.
inline void insert_sorted(Fields& f, std::size_t first, uint count, uint partner) {
  TALUS_ASSERT(is_partner(f, partner), partner, count);
  std::size_t at = first + count * slice_grains;
  if (is_grain(partner))
    for (; at > first && f.contact_partner[at - slice_grains] > partner; at -= slice_grains)
      f.contact_partner[at] = f.contact_partner[at - slice_grains];
  f.contact_partner[at] = partner;
}

inline bool has_new_place(const Fields& f, uint i) {
  return f.list_position[i].w < 0.0f && (f.cell_lists[link_at(f.settings[0], i)] & link_new);
}

// Calls want(j) for the rows that the new place of grain i changes: its own, those that it is in and is too far from
// now, and those that it lacks, of what search(found) finds near. Two grains have each other in their rows, or neither.
template <class Search, class Want> void each_changed_row(const Fields& f, uint i, Search search, Want want) {
  want(i);
  const vec3 place(f.list_position[i]);
  TALUS_ASSERT(has_rows(f, i, f.contact_count[i]), i, f.contact_count[i]);
  const std::size_t first = contact_slot(f, i, 0), end = first + std::size_t{f.contact_count[i]} * slice_grains;
  for (std::size_t slot = first; slot < end; slot += slice_grains)
    if (const uint j = f.contact_partner[slot];
        is_grain(j) && !may_touch<Neighbourhood::incremental>(f, i, place, j, f.worlds[0]))
      want(j);
  search([&](uint j) {
    bool listed = false;
    for (std::size_t slot = first; slot < end && !listed; slot += slice_grains)
      listed = f.contact_partner[slot] == j;
    if (!listed)
      want(j);
  });
}

// Such a row: several grains, and bodies, may want the same.
inline void want_row(Fields& f, uint i) {
  atomic_ref(f.contact_count_next[i]).store(row_wanted, std::memory_order_relaxed);
}
// A row near a body that has moved: which grains are near a grain does not change with it.
inline void touch_row(Fields& f, uint i) {
  atomic_min(f.contact_count_next[i], row_touched);
}

// Calls visit(i) for those of the grains from `begin` to before `end` whose row does not stay as it is. Most rows do,
// and a slice of them is passed over at once: of a bed of a million grains in which a blade moves, this takes a quarter
// of the time of looking at each.
template <class Visit> void each_changing_row(const Args& args, const Fields& f, uint begin, uint end, Visit visit) {
  end = std::min(end, args.grains);
  for (uint first = begin; first < end; first += slice_grains) {
    const uint last = std::min(first + slice_grains, end);
    uint all = row_kept;
    for (uint i = first; i < last; ++i)
      all &= f.contact_count_next[i];
    for (uint i = first; i < last && all != row_kept; ++i)
      if (f.contact_count_next[i] != row_kept)
        visit(i);
  }
}

// Does an incremental search find the bodies and walls that stand in the row of grain i, in their order, behind grains?
inline bool has_still(const Args& args, const Fields& f, uint i) {
  std::size_t slot = contact_slot(f, i, 0);
  const std::size_t end = slot + std::size_t{f.contact_count[i]} * slice_grains;
  while (slot < end && is_grain(f.contact_partner[slot]))
    slot += slice_grains;
  bool same = true;
  search_others<Neighbourhood::incremental>(args, f, i, [&](uint partner) {
    same = same && slot < end && f.contact_partner[slot] == partner;
    slot += slice_grains;
  });
  return same && slot == end;
}

// Rows that are wanted are searched again where they are: by grains(i, found), which calls found(partner) for grains,
// and others(i, found), which does so for bodies and walls. Rows that are touched keep their grains, which stand before
// bodies and walls, and are put into the same order.
template <class Grains, class Others>
void incremental_rows_of(const Args& args, Fields& f, uint begin, uint end, Grains grains, Others others) {
  each_changing_row(args, f, begin, end, [&](uint i) {
    uint& count = f.contact_count_next[i];
    if (!is_searched(count))
      return;
    if (f.worlds[0].lists.history > set_aside_most(f.worlds[0].lists.slots)) {
      atomic_ref(f.worlds[0].incremental.unfit).fetch_add(1);
      count = row_kept;
      return;
    }
    const std::size_t row = contact_slot(f, i, 0);
    const uint room = rows_of(f, i / slice_grains, 0);
    uint found = 0;
    const auto insert = [&](uint partner) {
      if (found < room)
        insert_sorted(f, row, found, partner);
      ++found;
    };
    if (!is_gone(f.grains[i])) {
      if (count == row_touched)
        while (found < f.contact_count[i] && is_grain(f.contact_partner[row + found * slice_grains]))
          insert(f.contact_partner[row + found * slice_grains]);
      else
        grains(i, insert);
      others(i, insert);
    }
    if (f.settings[0].sleep.window > 0)  // a body may have come near a sleeper
      watch(f, i);
    count = found <= room ? found : row_unfit + found;
    if (found <= room)
      return;
    atomic_ref(f.worlds[0].incremental.unfit).fetch_add(1);
    for (uint k = 0; k < room; ++k)  // which ones are in it is chance
      f.contact_partner[row + k * slice_grains] = no_partner;
  });
}

// A contact in the lists being built, of those that share the mass of a dynamic body.
inline void count_contact(Fields& f, uint partner) {
  if (partner >= body_partner && partner < wall_partner && f.settings[0].bodies.rigid > 0)
    atomic_ref(f.body_contacts[body_of(partner)]).fetch_add(1);
}

// The list of an element of passes that rebuild, as the longest so far of its slice, whose elements come in order.
// Lists that may be rebuilt incrementally have room for more.
inline void widen_slice(Fields& f, uint element, uint length) {
  if (f.settings[0].grid.incremental)
    length = std::max(length + spare_rows, spare_rows_least);
  TALUS_ASSERT(element / slice_grains < f.slice_width.size(), element, f.slice_width.size());
  uint& width = f.slice_width[element / slice_grains];
  width = element % slice_grains == 0 ? length : std::max(width, length);
}

}  // namespace talus::reference
