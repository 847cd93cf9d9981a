#version 460
#extension GL_GOOGLE_include_directive : require
// What vertices of cloth have received from what touches them.
#include "shared/pass.glsl"
#include "shared/cloth.h"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_place[]; };
layout(set = 0, binding = 5, scalar) buffer SumBlock { uint body_sums[]; };
#include "shared/whole.glsl"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

vec3 take_record(uint k) {
  uint record = cloth_record(settings.bodies.count, k);
  vec3 sum;
  for (uint a = 0u; a < 3u; ++a) {
    uint word = record + 2u * a;
    sum[a] = whole(body_sums[word], body_sums[word + 1u]);
    body_sums[word] = body_sums[word + 1u] = 0u;
  }
  if (body_sums[record + load_uncounted] > 0u)
    atomicAdd(status.cloth_uncounted, body_sums[record + load_uncounted]);
  body_sums[record + load_uncounted] = 0u;
  return settings.bodies.load_quantum.x * sum;
}

void main() {
  uint k = element_index();
  bool alive = k < settings.cloth.vertices && status.halt == halt_none;
  uint i = alive ? cloth_place[k] : 0u;
  Grain grain;
  if (alive) {
    grain = grains[i];
    vec3 change = grain.velocity.w * take_record(k);
    grain.velocity.xyz += change;
    if (settings.cloth.moves != 0u)
      grain.position.xyz += args.h * change;
  }
  if (args.iteration + 1u == args.iterations)
    grain = finish(alive, i, grain);
  if (alive)
    grains[i] = grain;
}
