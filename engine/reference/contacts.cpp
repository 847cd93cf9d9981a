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
    search<true>(args, f, i, [&](uint) { ++count; });
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
    search<true>(args, f, i, [&](uint partner) {
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
