#version 460
#extension GL_GOOGLE_include_directive : require
// Clumps gather what contacts have changed of their spheres in this substep, and move as rigid bodies (shared/laws/clump.h): a thread per clump, that
// of its first sphere. What a sphere would have done without contacts is known from the clump, which nothing else has changed, so that a pull
// by hand counts as well.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SlotBlock { uint clump_slots[]; };
layout(set = 0, binding = 6, scalar) readonly buffer KindBlock { ClumpKind clump_kinds[]; };
layout(set = 0, binding = 7, scalar) buffer StateBlock { ClumpMotion clump_motions[]; };
#include "shared/clump_carried.glsl"
#include "shared/laws/around.h"
#include "shared/clump_place.glsl"

float into(float x, uint a, float low, float high) { return (periodic_axes >> a & 1u) == 0u ? x : into_period(x, low, high); }

void main() {
  uint i = element_index();
  if (i >= args.grains || sphere_of(grain_tag[i]) != 1u || !(grains[i].position.w > 0.0) || grains[i].velocity.w == 0.0)
    return;
  uint kind = grain_tag[i] >> tag_kind_shift;
  ClumpMotion clump = clump_motions[i];
  precise vec3 fall = args.h * settings.domain.gravity;
  ClumpChange sum = ClumpChange(vec3(0.0), vec3(0.0));
  for (uint k = 0u; k < clump_kinds[kind].spheres; ++k) {
    uint j = place_of_sphere(i, k + 1u);
    float radius = grains[j].position.w;
    vec3 spin = spin_of_clump(clump.rotation, clump.momentum, kind, k, radius), lever = lever_of_sphere(clump.rotation, kind, k, radius);
    vec3 change = grains[j].velocity.xyz - (clump_velocity(clump.velocity, spin, lever) + fall);
    ClumpChange by =
        clump_change(change, grain_spin[j].xyz - surface_speed(radius, spin), lever, radius, grain_spin[j].w, clump_kinds[kind].weight[k]);
    sum.velocity += by.velocity;
    sum.momentum += by.momentum;
  }
  vec3 inertia = inertia_of_clump(kind, size_of_clump(kind, 0u, grains[i].position.w));
  clump = clump_moved(clump, sum, fall, inertia, args.h);
  vec3 p = clump.position, low = settings.domain.min, high = settings.domain.max;
  clump.position = vec3(into(p.x, 0u, low.x, high.x), into(p.y, 1u, low.y, high.y), into(p.z, 2u, low.z, high.z));
  clump_motions[i] = clump;
}
