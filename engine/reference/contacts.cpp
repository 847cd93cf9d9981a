// Contact lists: everything nearer than the skin.
#include "engine/reference/history.h"
#include "engine/reference/search.h"
#include <array>
#include <cstring>

namespace talus::reference {
namespace {

// Puts aside what the contacts of a row remember, for grain i, whose row is made anew.
void history(Fields& f, uint i, uint row) {
  TALUS_ASSERT(has_rows(f, row, f.contact_count[row]), i, row, f.contact_count[row]);
  const auto each = [&](auto visit) {
    for (uint k = 0; k < f.contact_count[row]; ++k)
      if (const std::size_t slot = contact_slot(f, row, k); remembers(f, slot))
        visit(slot);
  };
  uint count = 0;
  each([&](std::size_t) { ++count; });
  f.history_count[i] = count;
  if (auto entry = history_room(f, world_of(f, i), count)) {
    f.history_first[i] = *entry;
    each([&](std::size_t slot) { put_aside(f, (*entry)++, slot); });
    TALUS_ASSERT(*entry == f.history_first[i] + count, i, *entry, count);
    TALUS_ASSERT(*entry <= (world_of(f, i) + 1) * f.settings[0].worlds.history, i, *entry,
                 f.settings[0].worlds.history);
  }
}

// What grain i has in the history buffer to the contacts of its new row, which begins in this slot: found by the
// partner, whose name in the old lists is name(partner).
template <class Name> void restore(Fields& f, uint i, std::size_t row, uint contacts, Name name) {
  const uint first = f.history_first[i], count = f.history_count[i];
  TALUS_ASSERT(count == 0 || history_at(f, first + count) <= f.history.size(), i, first, count);
  TALUS_ASSERT(contacts == 0 || row + (contacts - 1) * slice_grains < f.contact_partner.size(), i, row, contacts);
  uint next = 0;  // behind the last one found, most contacts being in the same order as before
  for (uint k = 0; k < contacts; ++k) {
    const std::size_t slot = row + k * slice_grains;
    const uint partner = name(f.contact_partner[slot]);
    uint looked = 0;
    uint entry = 0;
    for (; looked < count; ++looked) {
      entry = first + next;
      next = next + 1 < count ? next + 1 : 0;
      if (without_face(f.history[history_at(f, entry)]) == without_face(partner))
        break;
    }
    const bool known = looked < count;
    if (known && is_triangle(partner))
      f.contact_partner[slot] = f.history[history_at(f, entry)];
    if (known)
      take_back(f, entry, slot);
    else
      each_kept(f, slot, [&](uint, std::size_t at) { f.contact_state[at] = 0.0f; });
  }
}

// Contacts of a row with dynamic bodies come (1) or go (~0).
void count_bodies(Fields& f, std::size_t row, uint count, uint step) {
  for (uint k = 0; k < count && f.settings[0].bodies.rigid > 0; ++k)
    if (const uint partner = f.contact_partner[row + k * slice_grains];
        partner >= body_partner && partner < wall_partner) {
      TALUS_ASSERT(step == 1 || atomic_ref(f.body_contacts[body_of(partner)]).load() > 0, row, partner);
      atomic_ref(f.body_contacts[body_of(partner)]).fetch_add(step);
    }
}

}  // namespace

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
    TALUS_ASSERT(f.contact_count_next[i] <= next_rows(f, i), i, f.contact_count_next[i], next_rows(f, i));
    uint k = 0;
    search(args, f, i, [&](uint partner) {
      f.contact_partner[next_slot(f, i, k++)] = in_lists(f, i, partner);
      count_contact(f, partner);
    });
    TALUS_ASSERT(k == f.contact_count_next[i], i, k, f.contact_count_next[i]);
    while (k < next_rows(f, i))
      f.contact_partner[next_slot(f, i, k++)] = no_partner;
  }
}

void history_save(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e)
    if (const uint i = rebuilt_place(f, e); i < args.grains)
      history(f, i, world_of(f, i) * f.settings[0].worlds.places + f.grain_row[i]);
}

void history_restore(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint first = world_of(f, i) * f.settings[0].worlds.places;
    TALUS_ASSERT(f.contact_count_next[i] <= next_rows(f, i), i, f.contact_count_next[i], next_rows(f, i));
    restore(f, i, next_slot(f, i, 0), f.contact_count_next[i],
            [&](uint partner) { return is_grain(partner) ? f.grain_row[first + partner] : partner; });
  }
}

void incremental_clear(const Args&, Fields& f, uint begin, uint end) {
  const uint cells = grid_cells(f.settings[0].grid.bits);
  for (uint cell = begin; cell < std::min(end, cells); ++cell)
    f.cell_lists[head_at(f.settings[0], cell)] = link_end;
}

namespace {

// Where a grain gets its new place: it stays near it for longer where it is ahead.
vec3 place_ahead(const Args& args, const Fields& f, const Grain& grain) {
  const Settings& settings = f.settings[0];
  const float speed2 = squared(vec3(grain.velocity)), most = incremental_ahead_most * f.worlds[0].incremental.distance;
  float ahead = incremental_ahead * args.h;
  while (ahead * ahead * speed2 > most * most)  // no quotient, no root: a device may be off, and find another cell
    ahead *= 0.5f;
  vec3 place = vec3(grain.position) + ahead * vec3(grain.velocity);
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic) {
      const float edge = settings.domain.max[a] - settings.domain.min[a];
      place[a] = place[a] < settings.domain.min[a]    ? place[a] + edge
                 : place[a] >= settings.domain.max[a] ? place[a] - edge
                                                      : place[a];
    }
  return place;
}

}  // namespace

void incremental_mark(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const World& world = f.worlds[0];
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    f.contact_count_next[i] = row_kept;
    const Grain& grain = f.grains[i];
    if (is_gone(grain))
      continue;
    vec4& place = f.list_position[i];
    const bool displaced = squared(shortest(vec3(grain.position) - vec3(place), settings)) >
                           world.incremental.distance * world.incremental.distance;
    if (!displaced && place.w > 0.0f)
      continue;
    if (displaced)
      place = vec4(place_ahead(args, f, grain), -grain.position.w);
    link(f, i, displaced);
  }
}

void incremental_choose(const Args& args, Fields& f, uint begin, uint end) {
  if (too_many_displaced(f.worlds[0]))
    return;
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    if (is_gone(f.grains[i]))
      continue;
    if (has_new_place(f, i))
      each_changed_row(
          f, i, [&](auto found) { search_grains<Neighbourhood::incremental>(f, i, found); },
          [&](uint j) { want_row(f, j); });
  }
}

void incremental_keep(const Args& args, Fields& f, uint begin, uint end) {
  each_changing_row(args, f, begin, end, [&](uint i) {
    if (f.contact_count_next[i] == row_touched && !is_gone(f.grains[i]) && has_still(args, f, i))
      f.contact_count_next[i] = row_kept;
  });
}

void incremental_save(const Args& args, Fields& f, uint begin, uint end) {
  each_changing_row(args, f, begin, end, [&](uint i) {
    count_bodies(f, contact_slot(f, i, 0), f.contact_count[i], ~0u);
    history(f, i, i);
  });
}

void incremental_search(const Args& args, Fields& f, uint begin, uint end) {
  incremental_rows_of(
      args, f, begin, end, [&](uint i, auto found) { search_grains<Neighbourhood::incremental>(f, i, found); },
      [&](uint i, auto found) { search_others<Neighbourhood::incremental>(args, f, i, found); });
}

namespace {

// Moves the rows of a slice, contacts of each grain, to where they begin from now on.
void move_rows(Fields& f, uint from, uint to, uint rows) {
  const std::size_t words = slice_grains * f.settings[0].contacts.state_words;
  std::memmove(f.contact_partner.data() + to * slice_grains, f.contact_partner.data() + from * slice_grains,
               rows * slice_grains * sizeof(uint));
  if (words > 0)
    std::memmove(f.contact_state.data() + to * words, f.contact_state.data() + from * words,
                 rows * words * sizeof(float));
}

// Deals out the rows of a workgroup's slices anew where one of them has too few: each gets as many as its longest row
// needs, and an equal share of the others.
void refit_block(Fields& f, uint first, uint grains) {
  constexpr uint slices_each = group_size / slice_grains;
  const uint slice = first / slice_grains, slices = slices_of(grains);
  std::array<uint, slices_each> needs{}, starts{};
  uint unfit = 0, total = 0;
  for (uint i = first; i < first + grains; ++i) {
    uint& need = needs[(i - first) / slice_grains];
    need = std::max(need, row_needs(f.contact_count_next[i], f.contact_count[i]));
    unfit += is_unfit(f.contact_count_next[i]) ? 1 : 0;
  }
  for (const uint need : needs)
    total += need;
  const uint begin = f.slice_start[slice], room = f.slice_start[slice + slices] - begin;
  if (unfit == 0 || total > room)
    return;
  for (uint k = 0, start = begin; k < slices; ++k) {
    starts[k] = start;
    start += needs[k] + (room - total) / slices + (k < (room - total) % slices ? 1 : 0);
  }
  // First those that move down, from the first one on, then those that move up, from the last one on: so none is moved
  // onto rows that are still to be moved.
  const auto move = [&](uint k) {
    move_rows(f, f.slice_start[slice + k], starts[k], std::min(needs[k], rows_of(f, slice + k, 0)));
  };
  for (uint k = 0; k < slices; ++k)
    if (starts[k] < f.slice_start[slice + k])
      move(k);
  for (uint k = slices; k-- > 0;)
    if (starts[k] > f.slice_start[slice + k])
      move(k);
  std::copy_n(starts.begin(), slices, f.slice_start.begin() + slice);
  for (uint i = first; i < first + grains; ++i)
    if (is_unfit(f.contact_count_next[i]))
      f.contact_count_next[i] = row_wanted;
  atomic_ref(f.worlds[0].incremental.unfit).fetch_sub(unfit);
}

}  // namespace

void incremental_refit(const Args&, Fields& f, uint begin, uint end) {
  const uint grains = f.worlds[0].lists.grains;
  for (uint first = begin * group_size; first < std::min(end * group_size, grains); first += group_size)
    refit_block(f, first, std::min(group_size, grains - first));
}

void incremental_restore(const Args& args, Fields& f, uint begin, uint end) {
  each_changing_row(args, f, begin, end, [&](uint i) {
    uint count = f.contact_count_next[i];
    const std::size_t row = contact_slot(f, i, 0);
    TALUS_ASSERT(is_unfit(count) || has_rows(f, i, count), i, count);
    if (is_unfit(count)) {  // it has no more than it remembers, until all lists are built in this substep
      count = f.history_count[i];
      TALUS_ASSERT(has_rows(f, i, count), i, count);
      for (uint k = 0; k < count; ++k)
        f.contact_partner[row + k * slice_grains] = f.history[history_at(f, f.history_first[i] + k)];
    }
    restore(f, i, row, count, [](uint partner) { return partner; });
    f.contact_count[i] = count;
    count_bodies(f, row, count, 1);
  });
}

void contact_commit(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint world = world_of(f, i), slice = i / slice_grains;
    const uint room = world * f.settings[0].worlds.rows;
    if (i % slice_grains == 0)
      f.slice_start[slice + world] = next_row(f, slice, world) - room;
    if (i + 1 == places_end(args, f, world))
      f.slice_start[slice + 1 + world] = next_row(f, slice + 1, world) - room;
    TALUS_ASSERT(f.contact_count_next[i] <= next_rows(f, i), i, f.contact_count_next[i], next_rows(f, i));
    f.grain_row[i] = i - world * f.settings[0].worlds.places;
    f.contact_count[i] = f.contact_count_next[i];
  }
}

}  // namespace talus::reference
