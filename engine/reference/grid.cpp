// Grains in cell order.
#include "engine/reference/follow.h"
#include "engine/reference/schedule.h"

namespace talus::reference {
namespace {

uint key_of(const Fields& f, uint i, uint world) {
  const Settings& settings = f.settings[0];
  return cell_key(cell_of(vec3(f.grains[i].position), settings, f.worlds[world]), f.worlds[world], settings);
}

}  // namespace

void grid_count(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e)
    if (const uint i = rebuilt_place(f, e); i < args.grains && !is_gone(f.grains[i]))
      atomic_ref(f.grid_count[key_of(f, i, world_of(f, i))]).fetch_add(1, std::memory_order_relaxed);
}

void grid_fill(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains || is_gone(f.grains[i]))
      continue;
    const uint world = world_of(f, i), key = key_of(f, i, world);
    const uint left = atomic_ref(f.grid_count[key]).fetch_sub(1, std::memory_order_relaxed) - 1;
    TALUS_ASSERT(first_in_cell(f, key, world) + left < first_in_cell(f, key + 1, world), i, key, left);
    f.grid_order[first_in_cell(f, key, world) + left] = i;
  }
}

void grid_rank(const Args& args, Fields& f, uint begin, uint end) {
  const uint cells = grid_cells(f.settings[0].grid.bits);
  const bool incremental = f.settings[0].grid.incremental;
  const auto put = [&](std::size_t to, uint from, vec4 position) {
    TALUS_ASSERT(to < args.grains, to, args.grains);
    f.grid_from[to] = from;
    if (incremental)
      f.list_position[to] = position;
  };
  for (uint e = begin; e < end; ++e) {
    const uint k = rebuilt_place(f, e);
    if (k >= args.grains)
      continue;
    const uint world = world_of(f, k);
    if (k >= first_in_cell(f, (f.worlds[world].lists.table + 1) * cells, world)) {
      put(k, no_grain, vec4(0.0f));
      continue;
    }
    const uint from = f.grid_order[k], id = f.grain_id[from], key = key_of(f, from, world);
    const uint before = first_in_cell(f, key, world);
    TALUS_ASSERT(from < args.grains && world_of(f, from) == world, k, from, world);
    TALUS_ASSERT(before <= k && k < first_in_cell(f, key + 1, world), k, before, key);
    const auto first = f.grid_order.begin() + before, last = f.grid_order.begin() + first_in_cell(f, key + 1, world);
    const auto rank = std::count_if(first, last, [&](uint other) { return f.grain_id[other] < id; });
    TALUS_ASSERT(rank < last - first, k, rank, last - first);
    put(before + static_cast<std::size_t>(rank), from, f.grains[from].position);
  }
}

void grid_gather(const Args& args, Fields& f, uint begin, uint end) {
  gather_field(args, f, [&](auto put) {
    for (uint e = begin; e < end; ++e)
      if (const uint k = rebuilt_place(f, e); k < args.grains) {
        TALUS_ASSERT(f.grid_from[k] == no_grain || world_of(f, f.grid_from[k]) == world_of(f, k), k, f.grid_from[k]);
        put(k, f.grid_from[k], k - world_of(f, k) * f.settings[0].worlds.places);
      }
  });
}

void grain_return(const Args& args, Fields& f, uint begin, uint end) {
  if (begin == 0)
    f.status[0].exchanged = 0;
  const bool rotates = f.settings[0].solver.rotation != rotation_off;
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    f.grains[i] = f.grains_next[i];
    if (rotates)
      f.grain_spin[i] = f.grain_spin_next[i];
  }
}

void grid_commit(const Args& args, Fields& f, uint begin, uint end) {
  commit_field(args, f, [&](auto put) {
    for (uint e = begin; e < end; ++e)
      if (const uint k = rebuilt_place(f, e); k < args.grains)
        put(k);
  });
}

}  // namespace talus::reference
