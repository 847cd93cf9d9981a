// Contact lists: everything nearer than the margin.
#include "engine/reference/search.h"

namespace talus::reference {

void contact_count(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint count = 0;
    search(args, f, i, [&](uint) { ++count; });
    f.contact_count_next[i] = count;
    widen_slice(f, e, count);
  }
}

void contact_fill(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint k = 0;
    search(args, f, i, [&](uint partner) {
      f.contact_partner_next[next_slot(f, i, k++)] = in_lists(f, i, partner);
      count_contact(f, partner);
    });
    while (k < next_rows(f, i))
      f.contact_partner_next[next_slot(f, i, k++)] = no_partner;
  }
}

void linked_clear(const Args&, Fields& f, uint begin, uint end) {
  const uint cells = f.status[0].rebuild * grid_cells(f.settings[0].grid_bits);
  for (uint cell = begin; cell < std::min(end, cells); ++cell)
    f.grid_head[cell] = no_partner;
}

void linked_insert(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    if (is_gone(f.grains[i])) {
      f.grid_link[i] = no_partner;
      continue;
    }
    const World& world = f.worlds[world_of(f, i)];
    const ivec3 cell = cell_of(vec3(f.grains[i].position), settings, world);
    f.grid_link[i] = std::atomic_ref(f.grid_head[cell_key(cell, world, settings)]).exchange(i);
  }
}

void linked_count(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint count = 0;
    search<Neighbourhood::linked>(args, f, i, [&](uint) { ++count; });
    f.contact_count_next[i] = count;
    widen_slice(f, e, count);
  }
}

void linked_fill(const Args& args, Fields& f, uint begin, uint end) {
  std::vector<uint> partners;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    partners.clear();
    search<Neighbourhood::linked>(args, f, i, [&](uint partner) {
      partners.push_back(in_lists(f, i, partner));
      count_contact(f, partner);
    });
    std::ranges::sort(partners);  // their order is chance
    partners.resize(next_rows(f, i), no_partner);
    for (uint k = 0; k < partners.size(); ++k)
      f.contact_partner_next[next_slot(f, i, k)] = partners[k];
  }
}

void contact_recall(const Args& args, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint first = world_of(f, i) * f.settings[0].places;
    const uint row = first + f.grain_row[i], olds = f.contact_count[row];
    uint next = 0;  // where the last one was, most contacts being in the same order as before
    for (uint k = 0; k < f.contact_count_next[i]; ++k) {
      const std::size_t slot = next_slot(f, i, k);
      uint partner = f.contact_partner_next[slot];
      if (is_grain(partner))
        partner = f.grain_row[first + partner];
      uint looked = 0;
      std::size_t old = 0;
      for (; looked < olds; ++looked, ++next) {
        if (next >= olds)
          next = 0;
        old = contact_slot(f, row, next);
        if (without_face(f.contact_partner[old]) == partner)
          break;
      }
      const bool known = looked < olds;
      if (known && is_triangle(partner))
        f.contact_partner_next[slot] = f.contact_partner[old];
      if (options & option_memory)
        put(f.contact_shear_next, slot, known ? vec3_at(f.contact_shear, old) : vec3(0.0f));
      if (options & option_impulses)
        put(f.contact_sum_next, slot, known ? vec4_at(f.contact_sum, old) : vec4(0.0f));
    }
  }
}

void mend_clear(const Args&, Fields& f, uint begin, uint end) {
  const uint cells = grid_cells(f.settings[0].grid_bits);
  for (uint cell = begin; cell < std::min(end, cells); ++cell)
    f.grid_head[cell] = link_end;
}

namespace {

// Where a grain gets its new place: it stays near it for longer where it is ahead.
vec3 place_ahead(const Args& args, const Fields& f, const Grain& grain) {
  const Settings& settings = f.settings[0];
  const float speed2 = squared(vec3(grain.velocity)), most = mend_ahead_most * f.worlds[0].stale_way;
  float ahead = mend_ahead * args.h;
  while (ahead * ahead * speed2 > most * most)  // no quotient, no root: a device may be off, and find another cell
    ahead *= 0.5f;
  vec3 place = vec3(grain.position) + ahead * vec3(grain.velocity);
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic) {
      const float edge = settings.domain_max[a] - settings.domain_min[a];
      place[a] = place[a] < settings.domain_min[a]    ? place[a] + edge
                 : place[a] >= settings.domain_max[a] ? place[a] - edge
                                                      : place[a];
    }
  return place;
}

}  // namespace

void mend_mark(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  World& world = f.worlds[0];
  uint stales = 0, linked = 0;
  const auto mark = [&](ivec3 home) {
    each_cell_around(f, home, [&](uint key) {
      const std::atomic_ref head(f.grid_head[key]);
      if (!(head.load(std::memory_order_relaxed) & cell_marked))
        head.fetch_or(cell_marked, std::memory_order_relaxed);
    });
  };
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    const Grain& grain = f.grains[i];
    if (is_gone(grain))
      continue;
    vec4& place = f.list_place[i];
    const bool stale =
        squared(shortest(vec3(grain.position) - vec3(place), settings)) > world.stale_way * world.stale_way;
    if (!stale && place.w > 0.0f)
      continue;
    const ivec3 before = cell_of(vec3(place), settings, world);
    if (stale)
      place = vec4(place_ahead(args, f, grain), -grain.position.w);
    const ivec3 now = cell_of(vec3(place), settings, world);
    if (stale) {
      if (before != now)
        mark(before);
      mark(now);
      ++stales;
    }
    ++linked;
    const std::atomic_ref head(f.grid_head[cell_key(now, world, settings)]);
    const uint other = head.exchange(i);
    f.grid_link[i] = (other & link_mask) | (stale ? link_new : 0u);
    if (other & ~link_mask)  // which the exchange took away
      head.fetch_or(other & ~link_mask);
  }
  if (stales > 0)
    std::atomic_ref(world.stale).fetch_add(stales);
  if (linked > 0)
    std::atomic_ref(world.linked).fetch_add(linked);
}

void mend_choose(const Args& args, Fields& f, uint begin, uint end) {
  const bool none = too_many_stale(f.worlds[0]);
  for (uint i = begin; i < std::min(end, args.grains); ++i)
    f.contact_count_next[i] = !none && !is_gone(f.grains[i]) && is_outdated(f, i) ? row_wanted : row_kept;
}

void mend_search(const Args& args, Fields& f, uint begin, uint end) {
  mend_rows_of(args, f, begin, end, [&](uint i, auto found) { search<Neighbourhood::mended>(args, f, i, found); });
}

void mend_recall(const Args& args, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  const auto count_bodies = [&](std::size_t row, uint count, uint step) {
    for (uint k = 0; k < count && f.settings[0].rigid > 0; ++k)
      if (const uint partner = f.contact_partner[row + k * slice_grains];
          partner >= body_partner && partner < wall_partner)
        std::atomic_ref(f.body_contacts[body_of(partner)]).fetch_add(step);
  };
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    const uint count = f.contact_count_next[i], olds = f.contact_count[i];
    if (count == row_kept)
      continue;
    const std::size_t row = contact_slot(f, i, 0);
    count_bodies(row, olds, ~0u);
    uint next = 0;  // of the old row: from behind the last one on, most contacts being in the same order as before
    for (uint k = 0; k < count; ++k) {
      const std::size_t slot = row + k * slice_grains;
      std::size_t old = row;
      uint looked = 0;
      for (; looked < olds; ++looked, ++next) {
        next = next < olds ? next : 0;
        old = row + next * slice_grains;
        if (f.contact_partner[old] == f.contact_partner_next[slot])
          break;
      }
      const bool known = looked < olds;
      if (options & option_memory)
        put(f.contact_shear_next, slot, known ? vec3_at(f.contact_shear, old) : vec3(0.0f));
      if (options & option_impulses)
        put(f.contact_sum_next, slot, known ? vec4_at(f.contact_sum, old) : vec4(0.0f));
    }
    for (uint k = 0; k < count; ++k) {
      const std::size_t slot = row + k * slice_grains;
      f.contact_partner[slot] = f.contact_partner_next[slot];
      if (options & option_memory)
        put(f.contact_shear, slot, vec3_at(f.contact_shear_next, slot));
      if (options & option_impulses)
        put(f.contact_sum, slot, vec4_at(f.contact_sum_next, slot));
    }
    f.contact_count[i] = count;
    count_bodies(row, count, 1);
  }
}

void contact_commit(const Args& args, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint world = world_of(f, i), slice = i / slice_grains, rows = next_rows(f, i);
    const uint room = world * f.settings[0].rows;
    if (i % slice_grains == 0)
      f.slice_start[slice + world] = next_row(f, slice, world) - room;
    if (i + 1 == places_end(args, f, world))
      f.slice_start[slice + 1 + world] = next_row(f, slice + 1, world) - room;
    f.grain_row[i] = i - world * f.settings[0].places;
    f.contact_count[i] = f.contact_count_next[i];
    for (uint k = 0; k < rows; ++k) {
      const std::size_t slot = next_slot(f, i, k);
      f.contact_partner[slot] = f.contact_partner_next[slot];
      if (options & option_memory)
        put(f.contact_shear, slot, vec3_at(f.contact_shear_next, slot));
      if (options & option_impulses)
        put(f.contact_sum, slot, vec4_at(f.contact_sum_next, slot));
    }
  }
}

}  // namespace talus::reference
