#version 460
#extension GL_GOOGLE_include_directive : require
// After dem: sleepers on which something acted stay where they are, with what their contacts would have done as a pending velocity, unless that
// wakes them.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 5, scalar) buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 7, scalar) buffer RestBlock { GrainRest grain_rest[]; };
layout(set = 0, binding = 8, scalar) buffer ActivityBlock { SliceActivity slice_activity[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 10, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
#include "shared/listed.glsl"
#include "shared/row.glsl"
#include "shared/rest.h"
#include "shared/laws/dialect.h"
#include "shared/laws/rest.h"

// The grain moves from the next substep on, in which the sleepers in its list have to run.
void watch_partners(uint i) {
  uint slot = contact_slot(i, 0u), end = slot + contact_count[i] * slice_grains;
  for (; slot < end; slot += slice_grains) {
    uint partner = partner_at(i, slot);
    if (is_grain(partner))
      atomicOr(slice_activity[partner / slice_grains].watched, 1u);
  }
}

void settle(uint i) {
  uint slice = i / slice_grains, bit = 1u << i % slice_grains;
  if ((slice_activity[slice].state & slice_activity[slice].unsettled & bit) == 0u || grains[i].velocity.w == 0.0)
    return;
  GrainRest rest = grain_rest[i];
  vec3 change = grains[i].velocity.xyz, turn = vec3(0.0);
  if (rotating != rotation_off)
    turn = grain_spin[i].xyz;
  vec3 velocity = pending_after(rest.push, change, settings.sleep.leak), spin = pending_after(rest.turn, turn, settings.sleep.leak);
  Grain before = grains_next[i];  // the grain where the substep began, at rest
  uint world = world_of(i);
  float share = worlds[world].motion.speed < settings.sleep.slow ? calm_share : 1.0;
  bool unsettled = wakes(change, turn, share * settings.sleep.imbalance);
  if (wakes(velocity, spin, share * settings.sleep.wake)) {
    velocity = waking_with(velocity, change);
    spin = waking_with(spin, turn);
    before.velocity.xyz = velocity;
    precise float speed2 = velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z;
    atomicMax(worlds[world].motion.speed2_bits, floatBitsToUint(speed2));
    atomicAnd(slice_activity[slice].state, ~bit);
    rest = GrainRest(before.position.xyz, rest_state(rest_awake, worlds[world].clock), vec3(0.0));
    unsettled = false;
    watch_partners(i);
  } else {
    rest = GrainRest(velocity, unsettled ? rest.state | rest_unsettled : rest.state & ~rest_unsettled, spin);
    spin = vec3(0.0);
  }
  if (!unsettled)
    atomicAnd(slice_activity[slice].unsettled, ~bit);
  grains[i] = before;
  if (rotating != rotation_off)
    grain_spin[i].xyz = spin;
  grain_rest[i] = rest;
}

void main() {
  uint i = listed_grain();
  if (i < args.grains)
    settle(i);
  barrier();  // all threads of a slice have read which one it is
  uint k = element_index();
  if (k % slice_grains == 0u && k < args.grains)
    slice_activity[k / slice_grains].listed = 0u;
}
