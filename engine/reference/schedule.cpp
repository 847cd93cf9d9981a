// What one thread decides for all: plan, counts; and which grains go.
#include "engine/reference/schedule.h"
#include "engine/reference/clumps.h"
#include <bit>
#include <utility>

namespace talus::reference {
namespace {

void close_gates(Fields& f) {
  std::fill(f.gates.begin(), f.gates.end(), groups(0));
}

#include "shaders/shared/laws/skin.h"

// Cells and skin of new lists.
void new_grid(World& world, const Settings& settings, Motion motions) {
  world.grid.low = ivec3(cells_none);
  world.grid.high = ivec3(-cells_none);
  world.lists.history = 0;
  const float radius = world.radius, reach = settings.contacts.reach * radius, motion = motions.steady + motions.more;
  world.lists.skin = margin_of_new(motions, radius, reach);
  // Within its reach a grain meets two cells of cloth along an axis; a little more for the sake of rounding.
  world.cloth.reach = std::max(radius, settings.cloth.radius) + settings.cloth.radius + world.cloth.half_edge + motion +
                      world.lists.skin;
  const vec3 edge = settings.domain.max - settings.domain.min;
  for (int a = 0; a < 3; ++a) {
    const float cell = 2.0f * radius + world.lists.skin, coarse = 2.002f * world.cloth.reach;
    world.grid.inverse_cell[a] = 1.0f / cell;
    world.cloth.inverse_cell[a] = 1.0f / coarse;
    world.grid.cells[a] = world.cloth.cells[a] = 0;
    if (settings.domain.axis[a] == axis_periodic) {
      world.grid.cells[a] = std::max(3, cells_along(edge[a], cell));
      world.grid.inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(world.grid.cells[a]));
      world.cloth.cells[a] = std::max(1, cells_along(edge[a], coarse));
      world.cloth.inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(world.cloth.cells[a]));
    }
  }
}

bool too_wide(const World& world, const Settings& settings, Motion motions) {
  return world.lists.age >= lists_old &&
         skin_for(motions, world.radius) + settings.contacts.reach * world.radius < lists_shrink * world.lists.skin;
}

// Do the lists of a world hold for this substep?
bool lists_hold(const World& world, const Settings& settings, Motion motions) {
  const float way = 2.0f * (world.lists.travel + motions.steady + motions.more);
  return way + settings.contacts.reach * world.radius <= world.lists.skin && !too_wide(world, settings, motions) &&
         settings.grid.rebuild_always == 0;
}

// May lists be rebuilt incrementally that hold no longer? Not where the skin does not suit the motion any more, or
// where too many grains have another place in them than the one that they were sorted by.
bool can_rebuild_incrementally(const World& world, const Settings& settings, Motion motions) {
  const float reach = settings.contacts.reach * world.radius;
  return settings.grid.incremental != 0 && world.lists.travel < lists_invalid && world.incremental.wait == 0 &&
         world.incremental.linked * linked_most <= world.incremental.sorted &&
         skin_for(motions, world.radius) + reach <= incremental_widen * world.lists.skin &&
         0.5f * (world.lists.skin - reach) > motions.steady + motions.more;
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
  f.gates[gate_lists] = groups(count);
  f.gates[gate_rebuild_slice_chunks] = groups(scan_chunks_of(slices));
}

void open_incremental(const Args& args, Fields& f) {
  const Settings& settings = f.settings[0];
  f.gates[gate_incremental_grains] = groups(groups_for(args.grains));
  f.gates[gate_incremental_cells] = groups(groups_for(grid_cells(settings.grid.bits)));
  f.gates[gate_incremental_once] = groups(1);
  f.gates[gate_lists] = groups(1);
  bool moved = false;
  for (std::size_t body = 0; body < f.bodies.size(); ++body)
    moved |= has_moved(f, body);
  if (!moved)
    return;
  f.gates[gate_moved_cells] = f.gates[gate_incremental_cells];
  f.gates[gate_moved_bodies] = groups(settings.bodies.count * body_threads / group_size);
}

Motion motion_of(const Args& args, const Fields& f, uint number) {
  const Settings& settings = f.settings[0];
  const World& world = f.worlds[number];
  const float speed =
      std::max(world.motion.speed, f.body_speeds[step_of_batch(args, f) * settings.worlds.count + number]);
  const float pull = glm::length(settings.domain.gravity) + (args.hand.held > 0 ? hand_acceleration : 0.0f);
  return {args.h * speed, args.h * args.h * pull + world.motion.shift};
}

// Lists that may be rebuilt incrementally know of bodies where they are now, or of those that have moved.
void list_bodies(Fields& f, bool moved) {
  for (std::size_t body = 0; body < f.bodies.size(); ++body)
    if (!moved || has_moved(f, body))
      f.body_listed[body] = f.bodies[body].motion;
}

// Is this a substep of a stride that does not happen, since it would need new lists, or comes after the last step?
bool is_passed_over(const Args& args, const Fields& f) {
  if (step_of_batch(args, f) >= args.steps)
    return true;
  if (args.waits == 0)
    return false;
  bool holds = f.status[0].halt == halt_none;
  for (uint number = 0; number < f.settings[0].worlds.count; ++number)
    holds = holds && lists_hold(f.worlds[number], f.settings[0], motion_of(args, f, number));
  return !holds;
}

// It exchanges grains with their copies, after this pass: what brings them back stands at the end of the strides, or in
// the next substep that renews lists.
void pass_over(const Args& args, Fields& f) {
  Status& status = f.status[0];
  close_gates(f);
  status.halt = halt_waits;
  status.exchanged = 1 - status.exchanged;
  f.gates[gate_return] = groups(args.waits * status.exchanged * groups_for(args.grains));
}

}  // namespace

void plan(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (status.halt == halt_slots || status.halt == halt_invalid)
    return close_gates(f);
  if (is_passed_over(args, f))
    return pass_over(args, f);
  status.halt = halt_none;

  status.lists.rebuilding = 0;
  status.activity.listed = 0;
  bool incremental = false;
  for (uint number = 0; number < settings.worlds.count; ++number) {
    World& world = f.worlds[number];
    const Motion motions = motion_of(args, f, number);
    const float motion = motions.steady + motions.more;
    world.lists.table = no_table;
    const float reach = settings.contacts.reach * world.radius;
    if (!lists_hold(world, settings, motions)) {
      if (!too_wide(world, settings, motions) && can_rebuild_incrementally(world, settings, motions)) {
        const float half = 0.5f * (world.lists.skin - reach);
        world.incremental.distance = std::min(incremental_share * half, half - motion);
        world.incremental.displaced_most = static_cast<float>(world.incremental.sorted) *
                                           (1.0f - world.incremental.distance / half) / incremental_cost;
        world.incremental.displaced = world.incremental.linked = world.incremental.unfit = world.lists.history = 0;
        world.lists.table = 0;
        incremental = true;
        continue;
      }
      new_grid(world, settings, motions);
      world.lists.table = status.lists.rebuilding++;
      TALUS_ASSERT(world.lists.table < settings.worlds.count && world.lists.skin > 0.0f, number, world.lists.table,
                   world.lists.skin);
      f.rebuilding[world.lists.table] = number;
    }
  }
  std::fill(f.rebuilding.begin() + status.lists.rebuilding, f.rebuilding.end(), settings.worlds.count);
  if (incremental)
    f.rebuilding[0] = 0;
  std::fill_n(f.gates.begin(), gate_fine, groups(0));
  f.gates[gate_grains] = groups(groups_for(args.grains));
  f.gates[gate_slices] = groups(groups_for(args.grains));
  f.gates[gate_listed] = {0, 1, 1};
  f.gates[gate_step_end] = groups(0);
  f.gates[gate_return] = groups(status.exchanged * groups_for(args.grains));
  f.gates[gate_incremental_unfit] = groups(0);
  std::fill(f.gates.begin() + gate_incremental_grains, f.gates.begin() + gate_emission, groups(0));
  if (status.lists.rebuilding > 0)
    open_rebuild(args, f, status.lists.rebuilding);
  if (incremental)
    open_incremental(args, f);
}

void incremental_unfit(const Args& args, Fields& f, uint, uint) {
  if (f.worlds[0].incremental.unfit > 0)
    f.gates[gate_incremental_unfit] = groups(groups_for(args.grains));
}

void incremental_check(const Args& args, Fields& f, uint, uint) {
  World& world = f.worlds[0];
  if (!too_many_displaced(world) && world.incremental.unfit == 0) {
    world.lists.travel = world.incremental.distance;
    f.status[0].lists.incremental_rebuilds += 1;
    list_bodies(f, true);
    return;
  }
  world.incremental.wait = too_many_displaced(world) ? incremental_pause : 0;
  world.lists.travel = lists_invalid;
  f.status[0].lists.rebuilding = 1;
  new_grid(world, f.settings[0], motion_of(args, f, 0));
  open_rebuild(args, f, 1);
}

void contact_check(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (status.halt != halt_none || !status.lists.rebuilding)
    return;
  uint most = 0, most_history = 0;
  TALUS_ASSERT(status.lists.rebuilding <= settings.worlds.count, status.lists.rebuilding, settings.worlds.count);
  const std::span<const uint> rebuilding(f.rebuilding.data(), status.lists.rebuilding);
  for (const uint world : rebuilding) {
    const uint rows = next_row(f, slices_of(places_end(args, f, world)), world) - world * settings.worlds.rows;
    f.worlds[world].lists.slots = rows * slice_grains;
    most = std::max(most, rows);
    most_history = std::max(most_history, f.worlds[world].lists.history);
  }
  const bool fits = most <= settings.worlds.rows && most_history <= settings.worlds.history;
  for (const uint number : rebuilding) {
    World& world = f.worlds[number];
    world.lists.travel = fits ? 0.0f : lists_invalid;
    world.lists.age = 0;
    if (fits)
      world.lists.grains = places_end(args, f, number) - number * settings.worlds.places;
  }
  if (fits && (settings.grid.incremental)) {
    World& world = f.worlds[0];
    world.incremental.sorted = f.grid_start[grid_cells(settings.grid.bits)];
    world.incremental.linked = 0;
    world.incremental.wait -= std::min(world.incremental.wait, 1u);
    list_bodies(f, false);
  }
  status.lists.slots = most * slice_grains;
  status.lists.history = most_history;
  if (!fits) {
    status.halt = halt_slots;
    std::copy_n(f.grains.begin(), args.grains, f.grains_next.begin());
    if (settings.solver.rotation != rotation_off)
      std::copy_n(f.grain_spin.begin(), args.grains, f.grain_spin_next.begin());
    return close_gates(f);
  }
  status.lists.rebuilds += 1;
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
    world.motion.speed = std::sqrt(std::bit_cast<float>(world.motion.speed2_bits));
    world.motion.speed2_bits = 0;
    world.motion.shift = std::bit_cast<float>(world.motion.shift_bits);
    world.motion.shift_bits = 0;
    world.cloth.half_edge = std::bit_cast<float>(world.cloth.half_bits);
    world.cloth.half_bits = 0;
    const float body_speed = f.body_speeds[step_of_batch(args, f) * f.settings[0].worlds.count + number];
    world.lists.travel += args.h * std::max(world.motion.speed, body_speed) + world.motion.shift;
    world.lists.age += 1;
    world.clock += 1;
    world.disturbed = 0;
  }
  const float body_speed = f.body_speeds[step_of_batch(args, f) * f.settings[0].worlds.count];
  status.fine.body_way +=
      args.h * (f.settings[0].bodies.rigid > 0 ? std::max(f.worlds[0].motion.speed, body_speed) : body_speed);
  ActivityStatus& activity = status.activity;
  const auto slices = (static_cast<std::uint64_t>(activity.slices_high) << 32 | activity.slices_low) + activity.listed;
  activity.slices_low = static_cast<uint>(slices);
  activity.slices_high = static_cast<uint>(slices >> 32);
  status.substep += 1;
  const Settings& settings = f.settings[0];
  if (status.substep == args.substeps)
    f.gates[gate_step_end] =
        groups(std::max(settings.worlds.count * settings.bodies.count, groups_for(settings.worlds.count)));
  status.substeps_done += 1;
}

void end_step(const Args&, Fields& f, uint begin, uint end) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  for (uint number = begin; number < end; ++number) {
    World& world = f.worlds[number];
    if (world.population.gone != world.population.gone_before) {
      world.lists.travel = lists_invalid;
      world.disturbed = 1;
    }
    world.population.gone_before = world.population.gone;
  }
  if (begin == 0) {
    status.fine.born += std::exchange(status.fine.released, 0);
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
    const bool whole = sphere_of(f.grain_tag[i]) > 0;  // clumps, by their centre of mass
    const vec3 p = whole ? f.clump_motions[place_of_sphere(f, i, 1)].position : vec3(grain.position);
    const uint found = sink_of(f, p, material_of(f.grain_tag[i]));
    if (found == settings.emission.sinks)
      continue;
    grain = {vec4(vec3(grain.position), 0.0f), vec4(0.0f)};
    const uint world = world_of(f, i);
    TALUS_ASSERT(found < settings.emission.sinks, i, found, settings.emission.sinks);
    atomic_ref(f.sink_counts[world * settings.emission.sinks + found]).fetch_add(1);
    atomic_ref(f.worlds[world].population.gone).fetch_add(1);
  }
}

}  // namespace talus::reference
