#version 460
#extension GL_GOOGLE_include_directive : require
// Fine grains that come with the coarse ones that emitters have released: each at a random place in its coarse grain, behind all others
// in memory. A workgroup per coarse grain.
#include "shared/pass.glsl"
#include "shared/fine.h"
#include "shared/random.h"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer FirstBlock { uint fine_first[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer ClearBlock { float fine_clear[]; };
layout(set = 0, binding = 8, scalar) readonly buffer GrainTagBlock { uint grain_tag[]; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
#include "shared/space.glsl"

float random(uint number, uint n) { return float(random_bits(number, n, settings.fine.seed)) * 5.9604644775390625e-8; }  // 2^-24

// In a ball of radius 1.
vec3 place_in_ball(uint number) {
  for (uint k = 0u; k < fine_tries; ++k) {
    precise vec3 p = 2.0 * vec3(random(number, 3u * k + 1u), random(number, 3u * k + 2u), random(number, 3u * k + 3u)) - 1.0;
    if (squared(p) <= 1.0)
      return p;
  }
  return vec3(0.0);
}

// How many come with the coarse grain at a place in memory.
uint count_of(uint i) {
  uint emitted = grain_id[i] - settings.emission.first;
  return fine_first[emitted + 1u] - fine_first[emitted];
}

shared uint before;  // that come with coarse grains before this one

void main() {
  uint released = worlds[0].population.released, own = group_index(), lane = gl_LocalInvocationID.x;  // of the only world
  if (own >= released || status.halt != halt_none)
    return;
  uint first = settings.emission.first - status.freed + worlds[0].population.born - released, i = first + own;
  if (lane == 0u)
    before = 0u;
  barrier();
  for (uint j = lane; j < own; j += group_size)
    atomicAdd(before, count_of(first + j));
  barrier();
  Grain coarse = grains[i];
  uint count = count_of(i), number = settings.fine.first + fine_first[grain_id[i] - settings.emission.first];
  uint place_first = settings.fine.first - status.fine.freed + status.fine.born + before;
  for (uint k = lane; k < count; k += group_size) {
    precise float radius = settings.fine.radii.x + random(number + k, 0u) * (settings.fine.radii.y - settings.fine.radii.x);
    precise vec3 place = coarse.position.xyz + (coarse.position.w - radius) * place_in_ball(number + k);
    fine_grains[place_first + k] = Grain(vec4(place, radius), vec4(coarse.velocity.xyz, 1.0));
    fine_clear[place_first + k] = 0.0;
    fine_tag[place_first + k] = (grain_tag[i] & tag_material_mask) | (number + k) << fine_tag_shift;
  }
  if (own == released - 1u && lane == 0u)
    status.fine.released = before + count;
}
