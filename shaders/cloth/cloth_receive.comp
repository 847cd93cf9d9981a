#version 460
#extension GL_GOOGLE_include_directive : require
// What vertices of cloth have received from what touches them.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_index[]; };
layout(set = 0, binding = 5, scalar) buffer SumBlock { uint cloth_sums[]; };
#include "shared/cloth_slot.glsl"
#include "shared/whole.glsl"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

vec3 take_record(uint k) {
  uint record = load_words * k;
  vec3 sum;
  for (uint a = 0u; a < 3u; ++a) {
    uint word = record + 2u * a;
    sum[a] = whole(cloth_sums[word], cloth_sums[word + 1u]);
    cloth_sums[word] = cloth_sums[word + 1u] = 0u;
  }
  if (cloth_sums[record + load_uncounted] > 0u)
    atomicAdd(status.cloth_uncounted, cloth_sums[record + load_uncounted]);
  cloth_sums[record + load_uncounted] = 0u;
  return settings.bodies.load_quantum.x * sum;
}

void main() {
  uint k = own_vertex();
  bool alive = k != no_vertex && status.halt == halt_none;
  uint i = alive ? slot_of_vertex(k) : 0u;
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
