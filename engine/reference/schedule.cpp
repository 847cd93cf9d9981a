// What one thread decides for all: plan, counts; and which grains go.
#include "engine/reference/schedule.h"
#include <bit>
#include <utility>

namespace talus::reference {
namespace {

void close_gates(Fields& f) {
  std::fill(f.gates.begin(), f.gates.end(), groups(0));
}

#include "shaders/shared/laws/margin.h"

// Cells and margin of new lists.
void new_grid(World& world, const Settings& settings, Motion motions) {
  world.cells_low = ivec3(cells_none);
  world.cells_high = ivec3(-cells_none);
  world.stashed = 0;
  const float radius = world.radius, reach = settings.contacts.reach * radius, motion = motions.steady + motions.more;
  world.margin = margin_of_new(motions, radius, reach);
  // Within its reach a grain meets two cells of cloth along an axis; a little more for the sake of rounding.
  world.cloth_reach =
      std::max(radius, settings.cloth.radius) + settings.cloth.radius + world.cloth_half + motion + world.margin;
  const vec3 edge = settings.domain.max - settings.domain.min;
  for (int a = 0; a < 3; ++a) {
    const float cell = 2.0f * radius + world.margin, coarse = 2.002f * world.cloth_reach;
    world.inverse_cell[a] = 1.0f / cell;
    world.cloth_inverse_cell[a] = 1.0f / coarse;
    world.cells[a] = world.cloth_cells[a] = 0;
    if (settings.domain.axis[a] == axis_periodic) {
      world.cells[a] = std::max(3, cells_along(edge[a], cell));
      world.inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(world.cells[a]));
      world.cloth_cells[a] = std::max(1, cells_along(edge[a], coarse));
      world.cloth_inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(world.cloth_cells[a]));
    }
  }
}

// May lists be mended that hold no longer? Not where the margin does not suit the motion any more, or where too many
// grains have another place in them than the one that they were sorted by.
bool can_mend(const World& world, const Settings& settings, Motion motions) {
  const float reach = settings.contacts.reach * world.radius;
  return settings.grid.incremental != 0 && world.travel < lists_void && world.mend_wait == 0 &&
         world.linked * linked_most <= world.count &&
         margin_for(motions, world.radius) + reach <= mend_widen * world.margin &&
         0.5f * (world.margin - reach) > motions.steady + motions.more;
}

// Opens the gates of what makes the lists of so many worlds.
void open_rebuild(const Args& args, Fields& f, uint count) {
  const Settings& settings = f.settings[0];
  const uint grains = settings.worlds.count == 1 ? args.grains : count * settings.worlds.places,
             slices = slices_of(grains);
  const uint cells = count * grid_cells(settings.grid.bits);
  f.gates[gate_rebuild_grains] = groups(groups_for(grains));
  f.gates[gate_rebuild_cell_chunks] = groups(scan_chunks_of(cells));
  f.gates[gate_rebuild_bodies] = groups(count * settings.bodies.count * body_threads / group_size);
  f.gates[gate_rebuild_cells] = groups(groups_for(cells));
  f.gates[gate_rebuild_once] = groups(count);
  f.gates[gate_rebuild_slice_chunks] = groups(scan_chunks_of(slices));
}

void open_mend(const Args& args, Fields& f) {
  const Settings& settings = f.settings[0];
  f.gates[gate_mend_grains] = groups(groups_for(args.grains));
  f.gates[gate_mend_cells] = groups(groups_for(grid_cells(settings.grid.bits)));
  f.gates[gate_mend_once] = groups(1);
  bool moved = false;
  for (std::size_t body = 0; body < f.bodies.size(); ++body)
    moved |= has_moved(f, body);
  if (!moved)
    return;
  f.gates[gate_moved_grains] = f.gates[gate_mend_grains];
  f.gates[gate_moved_cells] = f.gates[gate_mend_cells];
  f.gates[gate_moved_bodies] = groups(settings.bodies.count * body_threads / group_size);
}

Motion motion_of(const Args& args, const Fields& f, uint number) {
  const Settings& settings = f.settings[0];
  const World& world = f.worlds[number];
  const float speed = std::max(world.speed, f.body_speeds[step_of_batch(args, f) * settings.worlds.count + number]);
  const float pull = glm::length(settings.domain.gravity) + (args.held > 0 ? hand_acceleration : 0.0f);
  return {args.h * speed, args.h * args.h * pull + world.shift};
}

// Lists that may be mended know of bodies where they are now.
void list_bodies(Fields& f) {
  for (std::size_t body = 0; body < f.bodies.size(); ++body)
    f.body_listed[body] = f.bodies[body].motion;
}

}  // namespace

void plan(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return close_gates(f);

  status.rebuild = 0;
  bool mend = false;
  for (uint number = 0; number < settings.worlds.count; ++number) {
    World& world = f.worlds[number];
    const Motion motions = motion_of(args, f, number);
    const float motion = motions.steady + motions.more;
    world.table = no_table;
    const float reach = settings.contacts.reach * world.radius;
    const bool wide = world.age >= lists_old && margin_for(motions, world.radius) + reach < lists_shrink * world.margin;
    if (2.0f * (world.travel + motion) + reach > world.margin || wide || settings.grid.rebuild_always != 0) {
      if (!wide && can_mend(world, settings, motions)) {
        const float half = 0.5f * (world.margin - reach);
        world.stale_way = std::min(mend_share * half, half - motion);
        world.stale_most = static_cast<float>(world.count) * (1.0f - world.stale_way / half) / mend_cost;
        world.stale = world.linked = world.unfit = world.stashed = 0;
        world.table = 0;
        mend = true;
        continue;
      }
      new_grid(world, settings, motions);
      world.table = status.rebuild++;
      TALUS_ASSERT(world.table < settings.worlds.count && world.margin > 0.0f, number, world.table, world.margin);
      f.rebuilding[world.table] = number;
    }
  }
  std::fill(f.rebuilding.begin() + status.rebuild, f.rebuilding.end(), settings.worlds.count);
  if (mend)
    f.rebuilding[0] = 0;
  std::fill_n(f.gates.begin(), gate_fine, groups(0));
  f.gates[gate_grains] = groups(groups_for(args.grains));
  std::fill(f.gates.begin() + gate_mend_grains, f.gates.begin() + gate_births, groups(0));
  if (status.rebuild > 0)
    open_rebuild(args, f, status.rebuild);
  if (mend)
    open_mend(args, f);
}

void mend_check(const Args& args, Fields& f, uint, uint) {
  World& world = f.worlds[0];
  if (!too_many_stale(world) && world.unfit == 0) {
    world.travel = world.stale_way;
    f.status[0].mends += 1;
    list_bodies(f);
    return;
  }
  world.mend_wait = too_many_stale(world) ? mend_pause : 0;
  world.travel = lists_void;
  f.status[0].rebuild = 1;
  new_grid(world, f.settings[0], motion_of(args, f, 0));
  open_rebuild(args, f, 1);
}

void contact_check(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (status.halt != halt_none || !status.rebuild)
    return;
  uint most = 0, most_stashed = 0;
  TALUS_ASSERT(status.rebuild <= settings.worlds.count, status.rebuild, settings.worlds.count);
  const std::span<const uint> rebuilding(f.rebuilding.data(), status.rebuild);
  for (const uint world : rebuilding) {
    const uint rows = next_row(f, slices_of(places_end(args, f, world)), world) - world * settings.worlds.rows;
    f.worlds[world].slots = rows * slice_grains;
    most = std::max(most, rows);
    most_stashed = std::max(most_stashed, f.worlds[world].stashed);
  }
  const bool fits = most <= settings.worlds.rows && most_stashed <= settings.worlds.stash;
  for (const uint number : rebuilding) {
    World& world = f.worlds[number];
    world.travel = fits ? 0.0f : lists_void;
    world.age = 0;
    if (fits)
      world.listed = places_end(args, f, number) - number * settings.worlds.places;
  }
  if (fits && (settings.grid.incremental)) {
    World& world = f.worlds[0];
    world.count = f.grid_start[grid_cells(settings.grid.bits)];
    world.linked = 0;
    world.mend_wait -= std::min(world.mend_wait, 1u);
    list_bodies(f);
  }
  status.slots = most * slice_grains;
  status.stashed = most_stashed;
  if (!fits) {
    status.halt = halt_slots;
    std::copy_n(f.grains.begin(), args.grains, f.grains_next.begin());
    return close_gates(f);
  }
  status.rebuilds += 1;
}

void end_substep(const Args& args, Fields& f, uint, uint) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  if (std::ranges::any_of(f.worlds, [](const World& world) { return world.invalid != no_grain; })) {
    status.halt = halt_invalid;
    return;
  }
  for (uint number = 0; number < f.settings[0].worlds.count; ++number) {
    World& world = f.worlds[number];
    world.speed = std::sqrt(std::bit_cast<float>(world.speed2_bits));
    world.speed2_bits = 0;
    world.shift = std::bit_cast<float>(world.shift_bits);
    world.shift_bits = 0;
    world.cloth_half = std::bit_cast<float>(world.cloth_half_bits);
    world.cloth_half_bits = 0;
    const float body_speed = f.body_speeds[step_of_batch(args, f) * f.settings[0].worlds.count + number];
    world.travel += args.h * std::max(world.speed, body_speed) + world.shift;
    world.age += 1;
  }
  const float body_speed = f.body_speeds[step_of_batch(args, f) * f.settings[0].worlds.count];
  status.body_way += args.h * (f.settings[0].bodies.rigid > 0 ? std::max(f.worlds[0].speed, body_speed) : body_speed);
  status.substep += 1;
  status.substeps_done += 1;
}

void end_step(const Args&, Fields& f, uint begin, uint end) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  for (uint number = begin; number < end; ++number) {
    World& world = f.worlds[number];
    if (world.gone != world.gone_before)
      world.travel = lists_void;
    world.gone_before = world.gone;
  }
  if (begin == 0) {
    status.fine_born += std::exchange(status.fine_released, 0);
    status.step += 1;
    status.substep = 0;
  }
}

void sink(const Args&, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    Grain& grain = f.grains[i];
    if (grain.velocity.w == 0.0f ||
        f.grain_id[i] - settings.cloth.first < settings.cloth.vertices)  // fixed, gone, or cloth
      continue;
    const vec3 p(grain.position);
    const uint found = sink_of(f, p, material_of(f.grain_tag[i]));
    if (found == settings.emission.sinks)
      continue;
    grain = {vec4(p, 0.0f), vec4(0.0f)};
    const uint world = world_of(f, i);
    TALUS_ASSERT(found < settings.emission.sinks, i, found, settings.emission.sinks);
    std::atomic_ref(f.sink_counts[world * settings.emission.sinks + found]).fetch_add(1);
    std::atomic_ref(f.worlds[world].gone).fetch_add(1);
  }
}

}  // namespace talus::reference
