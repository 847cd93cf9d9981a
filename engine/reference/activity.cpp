// Sleep of dem: which slices run, and what sleepers of those that ran have felt.
#include "engine/reference/activity.h"
#include "engine/reference/load.h"
#include "engine/reference/schedule.h"
#include <array>
#include <bit>
#include <iterator>

namespace talus::reference {
namespace {

// Places without a grain, and fixed grains that no body carries.
bool never_moves(const Fields& f, const Grain& g) {
  return is_gone(g) || (g.velocity.w == 0.0f && f.settings[0].bodies.carried == 0);
}

bool is_calm(const Fields& f, uint world) {
  return f.worlds[world].motion.speed < f.settings[0].sleep.slow;
}

// Collects the states of sleepers, which follow the grains, into those of their slice: sorting has made new slices.
void gather_sleepers(const Args& args, const Fields& f, uint first, SliceActivity& slice) {
  slice.state = slice.unsettled = 0;
  for (uint lane = 0; lane < slice_grains; ++lane) {
    const uint i = first + lane, rest = i < args.grains ? f.grain_rest[i].state : rest_asleep;
    slice.state |= is_asleep(rest) || never_moves(f, f.grains[i]) ? 1u << lane : 0u;
    slice.state |= rest_kind(rest) == rest_hasty ? slice_hasty : 0u;
    slice.unsettled |= is_unsettled(rest) ? 1u << lane : 0u;
  }
}

// Sleepers that were hasty wake.
void wake_hasty(const Args& args, Fields& f, uint first, SliceActivity& slice, uint now) {
  for (uint lane = 0; lane < slice_grains; ++lane) {
    const uint i = first + lane;
    if (!(slice.state >> lane & 1) || i >= args.grains || rest_kind(f.grain_rest[i].state) != rest_hasty)
      continue;
    f.grain_rest[i] = {vec3(f.grains[i].position), rest_state(rest_awake, now), vec3(0.0f)};
    slice.state &= ~(1u << lane);
    slice.unsettled &= ~(1u << lane);
  }
  slice.state &= ~slice_hasty;
}

// Has this grain, which is awake, been still for two windows? It is looked at, unless it was within half a window. What
// stands for a body never is.
bool still_for_long(Fields& f, uint i, uint now, bool calm) {
  if (f.grains[i].velocity.w == 0.0f)
    return false;
  const SleepSettings& sleep = f.settings[0].sleep;
  const GrainRest rest = f.grain_rest[i];
  const uint since = rest_since(rest.state, now);
  if (2 * since < sleep.window)
    return false;
  const vec3 place(f.grains[i].position),
      spin = f.settings[0].solver.rotation != rotation_off ? vec3(f.grain_spin[i]) : vec3(0.0f);
  const float share = calm ? calm_share : 1.0f,
              way_most = share * (sleep.way * static_cast<float>(std::min(since, sleep.window)));
  const bool still = is_still(place - rest.push, way_most, spin, share * sleep.spin);
  f.grain_rest[i] = {place, rest_state(still ? rest_still : rest_awake, now), vec3(0.0f)};
  return still && rest_kind(rest.state) == rest_still;
}

// Contacts and gravity act on it once more: it may wake by what they leave unbalanced.
void fall_asleep(Fields& f, uint i, uint kind) {
  Grain& g = f.grains[i];
  g.velocity = vec4(0.0f, 0.0f, 0.0f, g.velocity.w);
  f.grains_next[i] = g;
  if (f.settings[0].solver.rotation != rotation_off)
    f.grain_spin[i] = f.grain_spin_next[i] = vec4(0.0f, 0.0f, 0.0f, f.grain_spin[i].w);
  f.grain_rest[i] = {vec3(0.0f), kind | rest_unsettled, vec3(0.0f)};
}

void look(Fields& f, uint first, SliceActivity& slice, uint now, bool calm) {
  for (uint lane = 0; lane < slice_grains; ++lane) {
    if ((slice.state >> lane & 1) || !still_for_long(f, first + lane, now, calm))
      continue;
    fall_asleep(f, first + lane, calm ? rest_asleep : rest_hasty);
    slice.state |= 1u << lane | (calm ? 0u : slice_hasty);
    slice.unsettled |= 1u << lane;
  }
}

// The sleepers of a slice without what never moves, which activity_settle passes over.
uint sleepers_that_move(const Args& args, const Fields& f, uint first, const SliceActivity& slice) {
  uint bits = 0;
  for (uint i = first; i < std::min(first + slice_grains, args.grains); ++i)
    bits |= f.grains[i].velocity.w > 0.0f ? slice.state & 1u << (i - first) : 0u;
  return bits;
}

// From this substep on the slice stands on its body, or no longer does. The standing record of one that is not dynamic
// counts as often as the step has substeps, and so the substeps before this one are taken back.
void stand(const Args& args, Fields& f, uint k, bool stands) {
  const SliceActivity& slice = f.slice_activity[k];
  const uint body = slice.body - 1;
  uint *const standing = standing_record(f, body), *const record = record_of(f, k * slice_grains, body);
  const std::uint64_t substeps = f.bodies[body].split > 0.0f ? 0 : args.substep;
  for (std::size_t n = 0; n < std::size(slice.load); n += 2) {
    const std::uint64_t load = whole_at(slice.load + n), before = substeps * load;
    add_whole(standing + n, stands ? load : -load);
    add_whole(record + n, stands ? -before : before);
  }
}

bool rests_on_one(const Fields& f, uint body) {
  return body != 0 && body != several_bodies && stands_still(f, body - 1);
}

// Which of slice_ran, slice_weighs and slice_stands a slice has in this substep. before: SliceActivity.state in the
// last one; quiet: nothing acts on its sleepers.
uint run_weigh_or_stand(const Args& args, Fields& f, uint k, uint before, bool quiet) {
  SliceActivity& slice = f.slice_activity[k];
  if (before & slice_stands) {
    if (quiet && rests_on_one(f, slice.body))
      return slice_stands;
    stand(args, f, k, false);
    quiet = false;
  }
  if (!quiet) {
    slice.body = 0;
    return slice_ran;
  }
  if (!(before & slice_ran) || f.settings[0].bodies.count == 0)
    return 0;  // beside no body
  if (!(before & slice_weighs)) {
    if (slice.body == several_bodies)
      return slice_ran;
    slice.body = 0;
    std::ranges::fill(slice.load, 0u);
    return slice_ran | slice_weighs;
  }
  if (slice.body == 0)
    return 0;
  if (!rests_on_one(f, slice.body))
    return slice_ran;
  stand(args, f, k, true);
  return slice_stands;
}

// Does the slice run in this substep?
bool runs_now(const Args& args, Fields& f, uint k) {
  const uint first = k * slice_grains, number = world_of(f, first);
  const World& world = f.worlds[number];
  const bool fresh = world.lists.age == 0, calm = is_calm(f, number);
  SliceActivity& slice = f.slice_activity[k];
  const uint before = slice.state;
  if (fresh)
    gather_sleepers(args, f, first, slice);
  slice.state &= slice_asleep | slice_hasty;
  if (calm && (slice.state & slice_hasty))
    wake_hasty(args, f, first, slice, world.clock);
  if (world.clock % f.settings[0].sleep.window == 0 && (slice.state & slice_asleep) != slice_asleep)
    look(f, first, slice, world.clock, calm);
  if (world.disturbed)
    slice.unsettled = sleepers_that_move(args, f, first, slice);
  const bool quiet = !fresh && (slice.state & slice_asleep) == slice_asleep && !slice.watched && !slice.unsettled;
  slice.watched = 0;
  slice.state |= run_weigh_or_stand(args, f, k, before, quiet);
  return slice.state & slice_ran;
}

// Grain i moves from the next substep on, in which the sleepers in its list have to run.
void watch_partners(Fields& f, uint i) {
  for (uint k = 0; k < f.contact_count[i]; ++k)
    if (const uint partner = partner_at(f, i, contact_slot(f, i, k)); is_grain(partner))
      watch(f, partner);
}

void settle(Fields& f, uint i) {
  const Settings& settings = f.settings[0];
  SliceActivity& activity = f.slice_activity[i / slice_grains];
  const uint bit = 1u << i % slice_grains;
  const bool rotates = settings.solver.rotation != rotation_off;
  const vec3 change(f.grains[i].velocity), turn = rotates ? vec3(f.grain_spin[i]) : vec3(0.0f);
  GrainRest& rest = f.grain_rest[i];
  const vec3 velocity = pending_after(rest.push, change, settings.sleep.leak),
             spin = pending_after(rest.turn, turn, settings.sleep.leak);
  f.grains[i] = f.grains_next[i];  // the grain where the substep began, at rest
  const uint number = world_of(f, i);
  const float share = is_calm(f, number) ? calm_share : 1.0f;
  if (wakes(velocity, spin, share * settings.sleep.wake)) {
    World& world = f.worlds[number];
    const vec3 starts = waking_with(velocity, change);
    f.grains[i].velocity = vec4(starts, f.grains[i].velocity.w);
    if (rotates)
      f.grain_spin[i] = vec4(waking_with(spin, turn), f.grain_spin[i].w);
    atomic_max(world.motion.speed2_bits, std::bit_cast<uint>(squared(starts)));
    activity.state &= ~bit;
    activity.unsettled &= ~bit;
    rest = {vec3(f.grains[i].position), rest_state(rest_awake, world.clock), vec3(0.0f)};
    watch_partners(f, i);
    return;
  }
  const bool unsettled = wakes(change, turn, share * settings.sleep.imbalance);
  if (!unsettled)
    activity.unsettled &= ~bit;
  rest = {velocity, unsettled ? rest.state | rest_unsettled : rest.state & ~rest_unsettled, spin};
  if (rotates)
    f.grain_spin[i] = vec4(0.0f, 0.0f, 0.0f, f.grain_spin[i].w);
}

}  // namespace

void activity_list(const Args& args, Fields& f, uint begin, uint end) {
  std::array<uint, group_size> running;
  for (uint first = begin; first < end; first += group_size) {
    uint count = 0;
    for (uint slice = first; slice < std::min(first + group_size, end); ++slice)
      if (slice * slice_grains < args.grains && runs_now(args, f, slice))
        running[count++] = slice;
    if (count == 0)
      continue;
    const uint place = atomic_ref(f.status[0].activity.listed).fetch_add(count);
    TALUS_ASSERT(place + count <= f.slice_activity.size(), place, count, f.slice_activity.size());
    for (uint k = 0; k < count; ++k)
      f.slice_activity[place + k].listed = running[k] + 1;
    const Dispatch open = groups(groups_for((place + count) * slice_grains));
    atomic_max(f.gates[gate_listed].x, open.x);
    atomic_max(f.gates[gate_listed].y, open.y);
  }
}

void activity_settle(const Args& args, Fields& f, uint begin, uint end) {
  each_listed(args, f, begin, end, [&](uint first, uint last) {
    const SliceActivity& slice = f.slice_activity[first / slice_grains];
    const uint acted_on = slice.state & slice.unsettled;
    for (uint i = first; acted_on != 0 && i < last; ++i)
      if ((acted_on >> i % slice_grains & 1) && f.grains[i].velocity.w > 0.0f)
        settle(f, i);
  });
  for (uint slot = begin / slice_grains; slot < (end + slice_grains - 1) / slice_grains; ++slot)
    f.slice_activity[slot].listed = 0;
}

}  // namespace talus::reference
