#version 460
#extension GL_GOOGLE_include_directive : require
// Lists the slices that run in this substep: those with a grain that is awake, those that are watched or have an unsettled sleeper, and all of
// worlds whose lists are new or that are disturbed. Once in a window it looks at the grains of a world, and those that have been still for two
// windows fall asleep. Which slices run is a matter of cost alone: a sleeper on which nothing acts stays the same to the bit where its slice runs.
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

// Collects the states of sleepers, which follow the grains, into those of their slice: sorting has made new slices.
void gather_sleepers(uint first, inout SliceActivity slice) {
  slice.state = slice.unsettled = 0u;
  for (uint lane = 0u; lane < slice_grains; ++lane) {
    uint i = first + lane, rest = i < args.grains ? grain_rest[i].state : rest_asleep;
    slice.state |= is_asleep(rest) || never_moves(grains[i]) ? 1u << lane : 0u;
    slice.state |= rest_kind(rest) == rest_hasty ? slice_hasty : 0u;
    slice.unsettled |= is_unsettled(rest) ? 1u << lane : 0u;
  }
}

// Sleepers that were hasty wake.
void wake_hasty(uint first, inout SliceActivity slice, uint now) {
  for (uint lane = 0u; lane < slice_grains; ++lane) {
    uint i = first + lane;
    if (!has_bit(slice.state, lane) || i >= args.grains || rest_kind(grain_rest[i].state) != rest_hasty)
      continue;
    grain_rest[i] = GrainRest(grains[i].position.xyz, rest_state(rest_awake, now), vec3(0.0));
    slice.state &= ~(1u << lane);
    slice.unsettled &= ~(1u << lane);
  }
  slice.state &= ~slice_hasty;
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

// Contacts and gravity act on it once more: it may wake by what they leave unbalanced.
void fall_asleep(uint i, uint kind) {
  Grain g = grains[i];
  g.velocity.xyz = vec3(0.0);
  grains[i] = g;
  grains_next[i] = g;
  if (rotating != rotation_off) {
    vec4 spin = vec4(0.0, 0.0, 0.0, grain_spin[i].w);
    grain_spin[i] = spin;
    grain_spin_next[i] = spin;
  }
  grain_rest[i] = GrainRest(vec3(0.0), kind | rest_unsettled, vec3(0.0));
}

void look(uint first, inout SliceActivity slice, uint now, bool calm) {
  for (uint lane = 0u; lane < slice_grains; ++lane) {
    if (has_bit(slice.state, lane) || !still_for_long(first + lane, now, calm))
      continue;
    fall_asleep(first + lane, calm ? rest_asleep : rest_hasty);
    slice.state |= 1u << lane | (calm ? 0u : slice_hasty);
    slice.unsettled |= 1u << lane;
  }
}

// The sleepers of a slice without what never moves, which activity_settle passes over.
uint sleepers_that_move(uint first, uint state) {
  uint bits = 0u;
  for (uint i = first; i < min(first + slice_grains, args.grains); ++i)
    bits |= grains[i].velocity.w > 0.0 ? state & 1u << i - first : 0u;
  return bits;
}

// Does the slice run in this substep?
bool runs_now(uint k) {
  uint first = k * slice_grains, world = world_of(first), now = worlds[world].clock;
  bool fresh = worlds[world].lists.age == 0u, calm = worlds[world].motion.speed < settings.sleep.slow;
  SliceActivity slice = slice_activity[k];
  if (fresh)
    gather_sleepers(first, slice);
  slice.state &= ~slice_ran;
  if (calm && (slice.state & slice_hasty) != 0u)
    wake_hasty(first, slice, now);
  if (now % settings.sleep.window == 0u && (slice.state & slice_asleep) != slice_asleep)
    look(first, slice, now, calm);
  if (worlds[world].disturbed != 0u)
    slice.unsettled = sleepers_that_move(first, slice.state);
  bool runs = fresh || (slice.state & slice_asleep) != slice_asleep || slice.watched != 0u || slice.unsettled != 0u;
  slice_activity[k].watched = 0u;
  slice_activity[k].state = slice.state | (runs ? slice_ran : 0u);
  slice_activity[k].unsettled = slice.unsettled;
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
