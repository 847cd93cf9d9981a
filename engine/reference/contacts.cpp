// Contact lists: everything nearer than the margin.
#include "engine/reference/space.h"

namespace talus::reference {
namespace {

// Calls found(partner) for all that grain i may touch before the lists are built again: grains in cell order, then
// walls.
template <class Found> void search(const Args& args, const Fields& f, uint i, Found found) {
  const Settings& settings = f.settings[0];
  const Status& status = f.status[0];
  const vec3 p(f.grains[i].position), v = glm::abs(vec3(f.grains[i].velocity));
  const float radius = f.grains[i].position.w;
  const uint world = world_of(f.grain_tag[i]);
  const ivec3 home = cell_of(p, settings, status);
  const auto key_at = [&](int x, int y, int z) {
    return grid_key(wrap_cell(home + ivec3(x, y, z), status), world, settings.grid_bits);
  };
  const auto visit = [&](uint begin, uint end) {
    for (uint j = begin; j < end; ++j) {
      const float reach = radius + f.grains[j].position.w + status.margin;
      if (j != i && squared(shortest(p - vec3(f.grains[j].position), settings)) < reach * reach &&
          world_of(f.grain_tag[j]) == world)
        found(j);
    }
  };
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y) {
      const uint first = key_at(-1, y, z), last = key_at(1, y, z);
      if (last == first + 2) {  // three cells in a row of x are one stretch of memory
        visit(f.grid_start[first], f.grid_start[last + 1]);
        continue;
      }
      for (int x = -1; x <= 1; ++x)
        visit(f.grid_start[key_at(x, y, z)], f.grid_start[key_at(x, y, z) + 1]);
    }
  const float reach = radius + status.margin + 2.0f * args.h * (v.x + v.y + v.z);
  for (uint wall = 0; wall < 6; ++wall)
    if (settings.axis[static_cast<int>(wall / 2)] == axis_wall && wall_distance(p, wall, settings) < reach)
      found(wall_partner + wall);
}

}  // namespace

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
    search(args, f, i, [&](uint partner) { f.contact_partner_next[row_slot(f.slice_start_next, i, k++)] = partner; });
    const uint rows = f.slice_start_next[i / slice_grains + 1] - f.slice_start_next[i / slice_grains];
    while (k < rows)
      f.contact_partner_next[row_slot(f.slice_start_next, i, k++)] = no_partner;
  }
}

void contact_recall(const Args&, Fields& f, uint begin, uint end) {
  const uint options = f.settings[0].options;
  for (uint i = begin; i < end; ++i) {
    const uint row = f.grain_row[i];
    for (uint k = 0; k < f.contact_count_next[i]; ++k) {
      const std::size_t slot = row_slot(f.slice_start_next, i, k);
      uint partner = f.contact_partner_next[slot];
      if (partner < wall_partner)
        partner = f.grain_row[partner];
      uint old = 0;
      while (old < f.contact_count[row] && f.contact_partner[contact_slot(f, row, old)] != partner)
        ++old;
      const bool known = old < f.contact_count[row];
      if (options & option_memory)
        f.contact_shear_next[slot] = known ? f.contact_shear[contact_slot(f, row, old)] : vec3(0.0f);
      if (options & option_impulses)
        f.contact_sum_next[slot] = known ? f.contact_sum[contact_slot(f, row, old)] : vec4(0.0f);
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
