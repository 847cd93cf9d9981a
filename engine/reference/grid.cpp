// Grains in cell order.
#include "engine/reference/schedule.h"

namespace talus::reference {
namespace {

uint key_of(const Fields& f, uint i, uint world) {
  const Settings& settings = f.settings[0];
  return cell_key(cell_of(vec3(f.grains[i].position), settings, f.worlds[world]), world, settings);
}

uint cells_of_all(const Settings& settings) {
  return settings.worlds * grid_cells(settings.grid_bits);
}

// Is it in a grid that is built anew?
bool counts(const Fields& f, uint i, uint world) {
  return f.worlds[world].rebuild && !is_gone(f.grains[i]);
}

}  // namespace

void grid_count(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    if (const uint world = world_of(f, i); counts(f, i, world))
      std::atomic_ref(f.grid_count[key_of(f, i, world)]).fetch_add(1, std::memory_order_relaxed);
}

void grid_reduce(const Args&, Fields& f, uint begin, uint end) {
  reduce(f.grid_count, cells_of_all(f.settings[0]), f.grid_sums, begin, end);
}

void grid_scan(const Args&, Fields& f, uint begin, uint end) {
  scan(f.grid_count, cells_of_all(f.settings[0]), f.grid_sums, f.grid_start, begin, end);
}

void grid_fill(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const uint world = world_of(f, i);
    if (!counts(f, i, world))
      continue;
    const uint key = key_of(f, i, world);
    const uint left = std::atomic_ref(f.grid_count[key]).fetch_sub(1, std::memory_order_relaxed) - 1;
    f.grid_order[first_in_cell(f, key, world) + left] = i;
  }
}

void grid_gather(const Args&, Fields& f, uint begin, uint end) {
  const uint cells = grid_cells(f.settings[0].grid_bits);
  for (uint k = begin; k < end; ++k) {
    const uint world = world_of(f, k);
    if (!f.worlds[world].rebuild) {
      f.grains_next[k] = f.grains[k];
      f.grain_id_next[k] = f.grain_id[k];
      f.grain_tag_next[k] = f.grain_tag[k];
      f.grain_row_next[k] = f.grain_row[k];
      continue;
    }
    if (k >= first_in_cell(f, (world + 1) * cells, world)) {
      f.grains_next[k] = {};
      f.grain_id_next[k] = no_grain;
      f.grain_tag_next[k] = 0;
      f.grain_row_next[k] = k - world * f.settings[0].places;
      continue;
    }
    const uint from = f.grid_order[k], id = f.grain_id[from], key = key_of(f, from, world);
    const uint before = first_in_cell(f, key, world);
    const auto first = f.grid_order.begin() + before, last = f.grid_order.begin() + first_in_cell(f, key + 1, world);
    const auto rank = std::count_if(first, last, [&](uint other) { return f.grain_id[other] < id; });
    const std::size_t to = before + static_cast<std::size_t>(rank);
    f.grains_next[to] = f.grains[from];
    f.grain_id_next[to] = id;
    f.grain_tag_next[to] = f.grain_tag[from];
    f.grain_row_next[to] = f.grain_row[from];
  }
}

void grid_commit(const Args&, Fields& f, uint begin, uint end) {
  std::copy(f.grains_next.begin() + begin, f.grains_next.begin() + end, f.grains.begin() + begin);
  std::copy(f.grain_id_next.begin() + begin, f.grain_id_next.begin() + end, f.grain_id.begin() + begin);
  std::copy(f.grain_tag_next.begin() + begin, f.grain_tag_next.begin() + end, f.grain_tag.begin() + begin);
  std::copy(f.grain_row_next.begin() + begin, f.grain_row_next.begin() + end, f.grain_row.begin() + begin);
}

void contact_reduce(const Args& args, Fields& f, uint begin, uint end) {
  reduce(f.slice_width, slices_of(args.grains), f.slice_sums, begin, end);
}

void contact_scan(const Args& args, Fields& f, uint begin, uint end) {
  scan(f.slice_width, slices_of(args.grains), f.slice_sums, f.slice_start_next, begin, end);
}

}  // namespace talus::reference
