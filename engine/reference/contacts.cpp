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
  const bool shears = f.settings[0].options & option_memory, sums = f.settings[0].options & option_impulses;
  // Has a contact of the old lists anything that the same one in the new lists is to have?
  const auto remembers = [&](std::size_t slot) {
    bool any = is_triangle(f.contact_partner[slot]);
    if (shears) {
      const uvec3 bits = glm::floatBitsToUint(f.contact_shear[slot]);
      any |= ((bits.x | bits.y | bits.z) << 1) != 0;
    }
    return sums ? any || f.contact_sum[slot] != vec4(0.0f) : any;
  };
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint first = world_of(f, i) * f.settings[0].places;
    const uint row = first + f.grain_row[i];
    const std::size_t old = contact_slot(f, row, 0), old_end = old + f.contact_count[row] * slice_grains;
    uint left = 0;  // with those of them that remember found, what is new needs no search
    for (std::size_t from = old; from < old_end; from += slice_grains)
      left += remembers(from);
    std::size_t slot = next_slot(f, i, 0);
    const std::size_t slot_end = slot + f.contact_count_next[i] * slice_grains;
    for (std::size_t next = old; slot < slot_end; slot += slice_grains) {
      std::size_t from = old_end;  // none
      if (left > 0) {
        uint partner = f.contact_partner_next[slot];
        if (is_grain(partner))
          partner = f.grain_row[first + partner];
        // From behind the last one on, most contacts being in the same order as before.
        for (std::size_t looked = old; looked < old_end && from == old_end; looked += slice_grains) {
          if (without_face(f.contact_partner[next]) == partner)
            from = next;
          next = next + slice_grains < old_end ? next + slice_grains : old;
        }
      }
      const bool known = from < old_end;
      left -= known && remembers(from);
      if (known && is_triangle(f.contact_partner[from]))
        f.contact_partner_next[slot] = f.contact_partner[from];
      if (shears)
        f.contact_shear_next[slot] = known ? f.contact_shear[from] : vec3(0.0f);
      if (sums)
        f.contact_sum_next[slot] = known ? f.contact_sum[from] : vec4(0.0f);
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
        f.contact_shear[slot] = f.contact_shear_next[slot];
      if (options & option_impulses)
        f.contact_sum[slot] = f.contact_sum_next[slot];
    }
  }
}

}  // namespace talus::reference
