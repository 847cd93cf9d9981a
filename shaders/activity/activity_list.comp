#version 460
#extension GL_GOOGLE_include_directive : require
// Lists the slices that run in this substep: those with a grain that is awake, those that are watched, and all of worlds whose lists are new. Once
// in a window it looks at a slice, a different time for each, and lets it sleep where all of its grains have been still for two windows.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 3, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 5, scalar) buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
layout(set = 0, binding = 7, scalar) buffer RestBlock { GrainRest grain_rest[]; };
layout(set = 0, binding = 8, scalar) buffer ActivityBlock { SliceActivity slice_activity[]; };
#include "shared/rest.h"
#include "shared/laws/dialect.h"
#include "shared/laws/rest.h"

shared uint count, first_listed;

bool has_bit(uint bits, uint lane) { return (bits >> lane & 1u) != 0u; }

// Places without a grain, and fixed grains that no body carries.
bool never_moves(Grain g) { return g.position.w == 0.0 || (g.velocity.w == 0.0 && settings.bodies.carried == 0u); }

// Which grains of a slice sleep, by what each knows: sorting has brought them together anew.
uint sleepers_of(uint first) {
  uint state = 0u;
  for (uint lane = 0u; lane < slice_grains; ++lane) {
    uint i = first + lane, rest = i < args.grains ? grain_rest[i].state : rest_asleep;
    state |= is_asleep(rest) || never_moves(grains[i]) ? 1u << lane : 0u;
    state |= rest == rest_hasty ? slice_hasty : 0u;
  }
  return state;
}

// The state of the slice without sleepers that were hasty.
uint wake_hasty(uint first, uint state, uint now) {
  for (uint lane = 0u; lane < slice_grains; ++lane) {
    uint i = first + lane;
    if (!has_bit(state, lane) || i >= args.grains || grain_rest[i].state != rest_hasty)
      continue;
    grain_rest[i] = GrainRest(grains[i].position.xyz, rest_state(rest_awake, now), vec3(0.0));
    state &= ~(1u << lane);
  }
  return state & ~slice_hasty;
}

// Has this grain, which is awake, been still for two windows? It is looked at, unless it was within half a window. What stands for a body never is.
bool still_for_long(uint i, uint now, bool calm) {
  if (grains[i].velocity.w == 0.0)
    return false;
  GrainRest rest = grain_rest[i];
  uint since = rest_since(rest.state, now);
  if (2u * since < settings.sleep.window)
    return false;
  vec3 place = grains[i].position.xyz, spin = rotating != rotation_off ? grain_spin[i].xyz : vec3(0.0);
  float share = calm ? calm_share : 1.0, way_most = share * (settings.sleep.way * float(min(since, settings.sleep.window)));
  bool still = is_still(place - rest.push, way_most, spin, share * settings.sleep.spin);
  grain_rest[i] = GrainRest(place, rest_state(still ? rest_still : rest_awake, now), vec3(0.0));
  return still && rest_kind(rest.state) == rest_still;
}

void fall_asleep(uint i, uint state) {
  Grain g = grains[i];
  g.velocity.xyz = vec3(0.0);
  grains[i] = g;
  grains_next[i] = g;
  if (rotating != rotation_off) {
    vec4 spin = vec4(0.0, 0.0, 0.0, grain_spin[i].w);
    grain_spin[i] = spin;
    grain_spin_next[i] = spin;
  }
  grain_rest[i] = GrainRest(vec3(0.0), state, vec3(0.0));
}

// The state of the slice after a look at it.
uint look(uint first, uint state, uint now, bool calm) {
  bool all_still = true;
  for (uint lane = 0u; lane < slice_grains; ++lane)
    if (!has_bit(state, lane))
      all_still = still_for_long(first + lane, now, calm) && all_still;
  if (!all_still)
    return state;
  for (uint lane = 0u; lane < slice_grains; ++lane)
    if (!has_bit(state, lane))
      fall_asleep(first + lane, calm ? rest_asleep : rest_hasty);
  return state | slice_asleep | (calm ? 0u : slice_hasty);
}

// Does the slice run in this substep?
bool runs_now(uint slice) {
  uint first = slice * slice_grains, world = world_of(first), now = worlds[world].clock;
  uint number = many_worlds == 0u ? slice : slice - world * (settings.worlds.places / slice_grains);
  bool fresh = worlds[world].lists.age == 0u;
  bool calm = worlds[world].motion.speed < settings.sleep.slow;
  uint state = fresh ? sleepers_of(first) : slice_activity[slice].state & ~slice_ran;
  if (calm && (state & slice_hasty) != 0u)
    state = wake_hasty(first, state, now);
  // One that falls asleep in this substep runs once more: it may wake by what its contacts leave unbalanced.
  bool awake = (state & slice_asleep) != slice_asleep;
  if (awake && (now + number) % settings.sleep.window == 0u)
    state = look(first, state, now, calm);
  bool runs = fresh || awake || slice_activity[slice].watched != 0u;
  slice_activity[slice].watched = 0u;
  slice_activity[slice].state = state | (runs ? slice_ran : 0u);
  return runs;
}

void main() {
  uint slice = element_index(), place = 0u;
  if (gl_LocalInvocationID.x == 0u)
    count = 0u;
  barrier();
  bool runs = slice * slice_grains < args.grains && runs_now(slice);
  if (runs)
    place = atomicAdd(count, 1u);
  barrier();
  if (gl_LocalInvocationID.x == 0u && count > 0u) {
    first_listed = atomicAdd(status.activity.listed, count);
    uint groups = ((first_listed + count) * slice_grains + group_size - 1u) / group_size;
    atomicMax(gates[gate_listed].x, min(groups, dispatch_row));
    atomicMax(gates[gate_listed].y, (groups + dispatch_row - 1u) / dispatch_row);
  }
  barrier();
  if (runs)
    slice_activity[first_listed + place].listed = slice + 1u;
}
