#version 460
#extension GL_GOOGLE_include_directive : require
// Clumps gather what contacts have changed of their spheres in this substep, move as rigid bodies (shared/laws/clump.h), and put their spheres where they
// are: a thread per clump, that of its first sphere. What a sphere would have done without contacts is known from the clump, which nothing else has
// changed, so that a pull by hand counts as well.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 3, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SlotBlock { uint clump_slots[]; };
layout(set = 0, binding = 6, scalar) readonly buffer KindBlock { ClumpKind clump_kinds[]; };
layout(set = 0, binding = 7, scalar) buffer StateBlock { ClumpMotion clump_motions[]; };
#include "shared/space.glsl"
#include "shared/rotation.glsl"
#include "shared/laws/clump.h"
#include "shared/clump_place.glsl"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

float into(float x, uint a, float low, float high) { return (periodic_axes >> a & 1u) == 0u ? x : into_period(x, low, high); }

// Speed of a sphere's surface about its centre [m/s].
vec3 surface_speed(float radius, vec3 spin) {
  precise vec3 sigma = radius * spin;
  return sigma;
}

// Structs are taken apart: glslang takes minutes to follow `precise` back through their members.
void move(uint i) {
  uint kind = grain_tag[i] >> tag_kind_shift, spheres = clump_kinds[kind].spheres;
  vec3 q = clump_motions[i].rotation.xyz, velocity = clump_motions[i].velocity, momentum = clump_motions[i].momentum;
  float s = clump_motions[i].rotation.w, size = grains[i].position.w;  // m, radius of the first sphere
  precise vec3 inertia = size * size * clump_kinds[kind].inertia, fall = args.h * settings.domain.gravity;
  vec3 spin = clump_spin(q, s, momentum, inertia), velocity_change = vec3(0.0), momentum_change = vec3(0.0);
  for (uint k = 0u; k < spheres; ++k) {
    uint j = place_of_sphere(i, k + 1u);
    float radius = grains[j].position.w;
    vec3 lever = clump_turned(q, s, size * clump_kinds[kind].place[k].xyz);
    vec3 change = grains[j].velocity.xyz - (clump_velocity(velocity, spin, lever) + fall);
    clump_add_change(change, grain_spin[j].xyz - surface_speed(radius, spin), lever, radius, grain_spin[j].w, clump_kinds[kind].weight[k],
                     velocity_change, momentum_change);
  }
  velocity += velocity_change + fall;
  momentum += momentum_change;
  clump_turn(q, s, momentum, inertia, args.h);
  vec3 p = clump_motions[i].position + args.h * velocity, low = settings.domain.min, high = settings.domain.max;
  p = vec3(into(p.x, 0u, low.x, high.x), into(p.y, 1u, low.y, high.y), into(p.z, 2u, low.z, high.z));
  clump_motions[i] = ClumpMotion(vec4(q, s), p, velocity, momentum);
  spin = clump_spin(q, s, momentum, inertia);
  for (uint k = 0u; k < spheres; ++k) {
    uint j = place_of_sphere(i, k + 1u);
    vec4 before = grains[j].position;
    vec3 lever = clump_turned(q, s, size * clump_kinds[kind].place[k].xyz), there = before.xyz + shortest((p + lever) - before.xyz);
    vec3 carried = clump_velocity(velocity, spin, lever);
    grains[j] = finish_grain(j, Grain(vec4(there, before.w), vec4(carried, grains[j].velocity.w)));
    grain_spin[j].xyz = surface_speed(before.w, spin);
  }
}

void main() {
  uint i = element_index();
  finish_begin();
  if (i < args.grains && sphere_of(grain_tag[i]) == 1u && grains[i].position.w > 0.0 && grains[i].velocity.w > 0.0)
    move(i);
  finish_end(i);
}
