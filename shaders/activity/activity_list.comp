#version 460
#extension GL_GOOGLE_include_directive : require
// Lists the slices that run in this substep: those with a grain that is awake, those that are watched or have an unsettled sleeper, and all of
// worlds whose lists are new or that are disturbed. Once in a window it looks at the grains of a world, and those that have been still for two
// windows fall asleep. Which slices run is a matter of cost alone: a sleeper on which nothing acts stays the same to the bit where its slice runs.
// A sleeper also does the same to a body that stands still in every substep. Before a slice beside such a body stops running, it weighs: it runs for
// one more substep, in which dem adds up what its grains do to the body. From the next substep on it stands on the body, which keeps that sum.
// A thread per grain, since a thread that went through the grains of a slice would wait for memory 16 times in a row.
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
layout(set = 0, binding = 9, scalar) readonly buffer BodyBlock { Body bodies[]; };
#include "shared/gates.glsl"
#include "shared/rest.h"
#include "shared/laws/dialect.h"
#include "shared/laws/rest.h"
#include "shared/body_load.glsl"
#include "shared/body_rest.glsl"
#include "shared/standing.glsl"

const uint slices_each = group_size / slice_grains;  // of a workgroup, all of them of one world
shared uint state[slices_each], unsettled[slices_each];
shared uint count, first_listed;

bool has_bit(uint bits, uint lane) { return (bits >> lane & 1u) != 0u; }

// Places without a grain, and fixed grains that no body carries.
bool never_moves(Grain g) { return g.position.w == 0.0 || (g.velocity.w == 0.0 && settings.bodies.carried == 0u); }

// Collects the state of a sleeper, which follows the grain, into that of its slice: sorting has made new slices.
void gather_sleeper(uint i, uint lane, uint own) {
  uint rest = i < args.grains ? grain_rest[i].state : rest_asleep;
  if (is_asleep(rest) || never_moves(grains[i]))
    atomicOr(state[own], 1u << lane);
  if (rest_kind(rest) == rest_hasty)
    atomicOr(state[own], slice_hasty);
  if (is_unsettled(rest))
    atomicOr(unsettled[own], 1u << lane);
}

bool some_hasty() {
  uint bits = 0u;
  for (uint k = 0u; k < slices_each; ++k)
    bits |= state[k];
  return (bits & slice_hasty) != 0u;
}

// A sleeper that was hasty wakes.
void wake_if_hasty(uint i, uint lane, uint own, uint now) {
  if (!has_bit(state[own], lane) || i >= args.grains || rest_kind(grain_rest[i].state) != rest_hasty)
    return;
  grain_rest[i] = GrainRest(grains[i].position.xyz, rest_state(rest_awake, now), vec3(0.0));
  atomicAnd(state[own], ~(1u << lane));
  atomicAnd(unsettled[own], ~(1u << lane));
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

// A grain that is awake falls asleep where it has been still for long.
void look(uint i, uint lane, uint own, uint now, bool calm) {
  if (has_bit(state[own], lane) || !still_for_long(i, now, calm))
    return;
  fall_asleep(i, calm ? rest_asleep : rest_hasty);
  atomicOr(state[own], 1u << lane | (calm ? 0u : slice_hasty));
  atomicOr(unsettled[own], 1u << lane);
}

// From this substep on a slice stands on its body, or no longer does. The standing record of one that is not dynamic counts as often as the step
// has substeps, and so the substeps before this one are taken back.
void stand(uint slice, bool stands) {
  uint body = slice_activity[slice].body - 1u, record = record_of(body_partner + body);
  uint substeps = bodies[body].split > 0.0 ? 0u : args.substep;
  for (uint n = 0u; n < 12u; n += 2u) {
    uvec2 load = uvec2(slice_activity[slice].load[n], slice_activity[slice].load[n + 1u]);
    uvec2 before = times(load, substeps);
    add_words(standing_record(body) + n, stands ? load : negative(load));
    add_words(record + n, stands ? negative(before) : before);
  }
}

bool rests_on_one(uint body) { return body != 0u && body != several_bodies && stands_still(body - 1u); }

// Which of slice_ran, slice_weighs and slice_stands a slice has in this substep. before: SliceActivity.state in the last one; quiet: nothing acts on
// its sleepers.
uint run_weigh_or_stand(uint slice, uint before, bool quiet) {
  uint body = slice_activity[slice].body;
  if ((before & slice_stands) != 0u) {
    if (quiet && rests_on_one(body))
      return slice_stands;
    stand(slice, false);
    quiet = false;
  }
  if (!quiet) {
    slice_activity[slice].body = 0u;
    return slice_ran;
  }
  if ((before & slice_ran) == 0u || settings.bodies.count == 0u)
    return 0u;  // beside no body
  if ((before & slice_weighs) == 0u) {
    if (body == several_bodies)
      return slice_ran;
    slice_activity[slice].body = 0u;
    for (uint n = 0u; n < 12u; ++n)
      slice_activity[slice].load[n] = 0u;
    return slice_ran | slice_weighs;
  }
  if (body == 0u)
    return 0u;
  if (!rests_on_one(body))
    return slice_ran;
  stand(slice, true);
  return slice_stands;
}

void main() {
  uint i = element_index(), lane = i % slice_grains, slice = i / slice_grains, first = i - lane, own = gl_LocalInvocationID.x / slice_grains;
  bool there = first < args.grains, leads = there && lane == 0u;
  // All of a workgroup are of the world of its first place, so that they meet at the same barriers.
  uint world = world_of(group_index() * group_size), now = worlds[world].clock;
  bool fresh = worlds[world].lists.age == 0u, calm = worlds[world].motion.speed < settings.sleep.slow, looks = now % settings.sleep.window == 0u,
       disturbed = worlds[world].disturbed != 0u;
  bool watched = false;
  uint state_before = 0u;
  if (gl_LocalInvocationID.x == 0u)
    count = 0u;
  if (lane == 0u && !there)
    state[own] = 0u;
  if (leads) {
    watched = slice_activity[slice].watched != 0u;
    state_before = slice_activity[slice].state;
    state[own] = fresh ? 0u : state_before & (slice_asleep | slice_hasty);
    unsettled[own] = fresh ? 0u : slice_activity[slice].unsettled;
  }
  barrier();
  if (fresh) {
    if (there)
      gather_sleeper(i, lane, own);
    barrier();
  }
  if (calm && some_hasty()) {
    barrier();
    if (there && (state[own] & slice_hasty) != 0u)
      wake_if_hasty(i, lane, own, now);
    barrier();
    if (leads)
      state[own] &= ~slice_hasty;
    barrier();
  }
  if (looks) {
    if (there)
      look(i, lane, own, now, calm);
    barrier();
  }
  if (disturbed) {
    if (leads)
      unsettled[own] = 0u;
    barrier();
    // Without what never moves, which activity_settle passes over.
    if (i < args.grains && has_bit(state[own], lane) && grains[i].velocity.w > 0.0)
      atomicOr(unsettled[own], 1u << lane);
    barrier();
  }
  bool quiet = !(fresh || (state[own] & slice_asleep) != slice_asleep || watched || unsettled[own] != 0u);
  uint does = leads ? run_weigh_or_stand(slice, state_before, quiet) : 0u;
  bool runs = (does & slice_ran) != 0u;
  uint place = 0u;
  if (leads) {
    slice_activity[slice].watched = 0u;
    slice_activity[slice].state = state[own] | does;
    slice_activity[slice].unsettled = unsettled[own];
  }
  if (runs)
    place = atomicAdd(count, 1u);
  barrier();
  if (gl_LocalInvocationID.x == 0u && count > 0u) {
    first_listed = atomicAdd(status.activity.listed, count);
    uint groups = groups_for((first_listed + count) * slice_grains);
    atomicMax(gates[gate_listed].x, min(groups, dispatch_row));
    if (groups > dispatch_row)
      atomicMax(gates[gate_listed].y, (groups + dispatch_row - 1u) / dispatch_row);
  }
  barrier();
  if (runs)
    slice_activity[first_listed + place].listed = slice + 1u;
}
