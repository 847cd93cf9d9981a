#version 460
#extension GL_GOOGLE_include_directive : require
// The grains in the hand, towards their places around it: a critically damped spring, stable at any step, that bears their weight.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) readonly buffer HeldBlock { HandGrain held[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer RestBlock { GrainRest grain_rest[]; };
layout(set = 0, binding = 5, scalar) buffer ActivityBlock { SliceActivity slice_activity[]; };
#include "shared/space.glsl"

// Among those in the hand; args.hand.held: not there.
uint find(uint id) {
  uint low = 0u, high = args.hand.held;
  while (low < high) {
    uint middle = (low + high) / 2u;
    if (held[middle].id < id)
      low = middle + 1u;
    else
      high = middle;
  }
  return low < args.hand.held && held[low].id == id ? low : args.hand.held;
}

void main() {
  uint i = element_index();
  if (i >= places_end(0u))  // it holds grains of the first world
    return;
  Grain g = grains[i];
  uint k = find(grain_id[i]);
  if (k == args.hand.held || g.velocity.w == 0.0)
    return;
  vec3 target = args.hand.position + float(args.substep + 1u) * args.h * args.hand.velocity + held[k].place;
  float rate = hand_rate * args.h;
  vec3 way = shortest(target - g.position.xyz);
  vec3 wanted = (g.velocity.xyz + rate * (hand_rate * way + 2.0 * args.hand.velocity)) / (1.0 + rate * (2.0 + rate));
  // No faster than half of the strength can stop in time.
  vec3 ahead = wanted - args.hand.velocity;
  float fastest = sqrt(hand_acceleration * length(way)), speed = length(ahead);
  if (speed > fastest)
    wanted = args.hand.velocity + ahead * (fastest / speed);
  vec3 change = wanted - g.velocity.xyz - args.h * settings.domain.gravity;
  float most = hand_acceleration * args.h, size = length(change);
  if (size > most)
    change *= most / size;
  grains[i].velocity.xyz = g.velocity.xyz + change;
  if (sleeping != 0u) {
    atomicAnd(slice_activity[i / slice_grains].state, ~(1u << i % slice_grains));
    atomicAnd(slice_activity[i / slice_grains].unsettled, ~(1u << i % slice_grains));
    grain_rest[i] = GrainRest(vec3(0.0), rest_awake, vec3(0.0));
  }
}
