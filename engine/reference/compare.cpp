// The passes of variants that are only compared with the step's own (engine/core/compare.h).
#include "engine/reference/dem_contact.h"
#include "engine/reference/search.h"

namespace talus::reference {

void linked_clear(const Args&, Fields& f, uint begin, uint end) {
  const uint cells = f.status[0].lists.rebuilding * grid_cells(f.settings[0].grid.bits);
  for (uint cell = begin; cell < std::min(end, cells); ++cell)
    f.cell_lists[head_at(f.settings[0], cell)] = no_partner;
}

void linked_insert(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    if (is_gone(f.grains[i])) {
      f.cell_lists[link_at(settings, i)] = no_partner;
      continue;
    }
    const World& world = f.worlds[world_of(f, i)];
    const ivec3 cell = cell_of(vec3(f.grains[i].position), settings, world);
    TALUS_ASSERT(i < link_end, i);
    const std::size_t head = head_at(settings, cell_key(cell, world, settings));
    f.cell_lists[link_at(settings, i)] = atomic_ref(f.cell_lists[head]).exchange(i);
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
    TALUS_ASSERT(partners.size() == f.contact_count_next[i] && partners.size() <= next_rows(f, i), i, partners.size(),
                 f.contact_count_next[i]);
    std::ranges::sort(partners);  // their order is chance
    partners.resize(next_rows(f, i), no_partner);
    for (uint k = 0; k < partners.size(); ++k)
      f.contact_partner[next_slot(f, i, k)] = partners[k];
  }
}

void dem_one_loop(const Args& args, Fields& f, uint begin, uint end) {
  dem_substep(args, f, begin, end, [&](uint i, DemChange& change) {
    search(args, f, i, [&](uint partner) { respond(args, f, i, partner, {}, change); });
  });
}

void dem_two_loops(const Args& args, Fields& f, uint begin, uint end) {
  std::vector<uint> found;
  dem_substep(args, f, begin, end, [&](uint i, DemChange& change) {
    found.clear();
    search(args, f, i, [&](uint partner) { found.push_back(partner); });
    for (const uint partner : found)
      respond(args, f, i, partner, {}, change);
  });
}

}  // namespace talus::reference
