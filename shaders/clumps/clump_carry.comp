#version 460
#extension GL_GOOGLE_include_directive : require
// The spheres of clumps where their clumps are, which clump_move has moved.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 3, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SlotBlock { uint clump_slots[]; };
layout(set = 0, binding = 6, scalar) readonly buffer KindBlock { ClumpKind clump_kinds[]; };
layout(set = 0, binding = 7, scalar) readonly buffer StateBlock { ClumpMotion clump_motions[]; };
#include "shared/space.glsl"
#include "shared/clump_carried.glsl"
#include "shared/clump_place.glsl"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

void main() {
  uint i = element_index(), k = i < args.grains ? sphere_of(grain_tag[i]) : 0u;
  bool alive = k > 0u && grains[i].position.w > 0.0 && grains[i].velocity.w > 0.0;
  Grain sphere;
  vec3 spin;
  if (alive) {
    sphere = grains[i];
    uint kind = grain_tag[i] >> tag_kind_shift, first = place_of_sphere(i, 1u);
    float radius = sphere.position.w;
    vec4 rotation = clump_motions[first].rotation;
    spin = spin_of_clump(rotation, clump_motions[first].momentum, kind, k - 1u, radius);
    vec3 lever = lever_of_sphere(rotation, kind, k - 1u, radius);
    sphere.position.xyz += shortest((clump_motions[first].position + lever) - sphere.position.xyz);
    sphere.velocity.xyz = clump_velocity(clump_motions[first].velocity, spin, lever);
  }
  sphere = finish(alive, i, sphere);
  if (alive) {
    grains[i] = sphere;
    grain_spin[i].xyz = surface_speed(sphere.position.w, spin);
  }
}
