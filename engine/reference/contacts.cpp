// Contact lists: everything nearer than the margin.
#include "engine/reference/search.h"

namespace talus::reference {

void contact_count(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    uint count = 0;
    search(args, f, i, [&](uint) { ++count; });
    f.contact_count_next[i] = count;
  }
}

void contact_width(const Args& args, Fields& f, uint begin, uint end) {
  for (uint slice = begin; slice < end; ++slice) {
    const auto first = f.contact_count_next.begin() + slice * slice_grains;
    const auto last = f.contact_count_next.begin() + std::min((slice + 1) * slice_grains, args.grains);
    f.slice_width[slice] = *std::max_element(first, last);
  }
}

void contact_fill(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    uint k = 0;
    search(args, f, i, [&](uint partner) {
      f.contact_partner_next[row_slot(f.slice_start_next, i, k++)] = partner;
      count_contact(f, partner);
    });
    const uint rows = f.slice_start_next[i / slice_grains + 1] - f.slice_start_next[i / slice_grains];
    while (k < rows)
      f.contact_partner_next[row_slot(f.slice_start_next, i, k++)] = no_partner;
  }
}

void linked_clear(const Args& args, Fields& f, uint begin, uint end) {
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t cell = i; cell < f.grid_head.size(); cell += args.grains)
      f.grid_head[cell] = no_partner;
}

void linked_insert(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    f.grains_next[i] = f.grains[i];
    if (is_gone(f.grains[i])) {
      f.grid_link[i] = no_partner;
      continue;
    }
    const ivec3 cell = cell_of(vec3(f.grains[i].position), settings, f.status[0]);
    f.grid_link[i] =
        std::atomic_ref(f.grid_head[grid_key(cell, world_of(f.grain_tag[i]), settings.grid_bits)]).exchange(i);
  }
}

void linked_count(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    uint count = 0;
    search<true>(args, f, i, [&](uint) { ++count; });
    f.contact_count_next[i] = count;
  }
}

void linked_fill(const Args& args, Fields& f, uint begin, uint end) {
  std::vector<uint> partners;
  for (uint i = begin; i < end; ++i) {
    partners.clear();
    search<true>(args, f, i, [&](uint partner) {
      partners.push_back(partner);
      count_contact(f, partner);
    });
    std::ranges::sort(partners);  // their order is chance
    partners.resize(f.slice_start_next[i / slice_grains + 1] - f.slice_start_next[i / slice_grains], no_partner);
    for (uint k = 0; k < partners.size(); ++k)
      f.contact_partner_next[row_slot(f.slice_start_next, i, k)] = partners[k];
  }
}

void contact_recall(const Args&, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  for (uint i = begin; i < end; ++i) {
    const uint row = f.grain_row[i], olds = f.contact_count[row];
    uint next = 0;  // where the last one was, most contacts being in the same order as before
    for (uint k = 0; k < f.contact_count_next[i]; ++k) {
      const std::size_t slot = row_slot(f.slice_start_next, i, k);
      uint partner = f.contact_partner_next[slot];
      if (is_grain(partner))
        partner = f.grain_row[partner];
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
        f.contact_shear_next[slot] = known ? f.contact_shear[old] : vec3(0.0f);
      if (options & option_impulses)
        f.contact_sum_next[slot] = known ? f.contact_sum[old] : vec4(0.0f);
    }
  }
}

void contact_commit(const Args& args, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  for (uint i = begin; i < end; ++i) {
    const uint slice = i / slice_grains, rows = f.slice_start_next[slice + 1] - f.slice_start_next[slice];
    if (i % slice_grains == 0)
      f.slice_start[slice] = f.slice_start_next[slice];
    if (i + 1 == args.grains)
      f.slice_start[slice + 1] = f.slice_start_next[slice + 1];
    f.grain_row[i] = i;
    f.contact_count[i] = f.contact_count_next[i];
    for (uint k = 0; k < rows; ++k) {
      const std::size_t slot = row_slot(f.slice_start_next, i, k);
      f.contact_partner[slot] = f.contact_partner_next[slot];
      if (options & option_memory)
        f.contact_shear[slot] = f.contact_shear_next[slot];
      if (options & option_impulses)
        f.contact_sum[slot] = f.contact_sum_next[slot];
    }
  }
}

}  // namespace talus::reference
