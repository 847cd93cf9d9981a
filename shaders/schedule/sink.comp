#version 460
#extension GL_GOOGLE_include_directive : require
// Sinks take the grains whose centre lies in them at the end of the step, each the first sink that holds it; clumps as a whole, by their centre of
// mass.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SinkBlock { Sink sinks[]; };
layout(set = 0, binding = 5, scalar) buffer CountBlock { uint sink_counts[]; };
layout(set = 0, binding = 7, scalar) readonly buffer SlotBlock { uint clump_slots[]; };
layout(set = 0, binding = 8, scalar) readonly buffer ClumpBlock { ClumpMotion clump_motions[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/sink.glsl"
#include "shared/clump_place.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || status.halt != halt_none || grains[i].velocity.w == 0.0 ||  // fixed, or gone
      grain_id[i] - settings.cloth.first < settings.cloth.vertices)
    return;
  vec3 p = grains[i].position.xyz;
  if (with_clumps != 0u && sphere_of(grain_tag[i]) > 0u)
    p = clump_motions[place_of_sphere(i, 1u)].position;
  uint s = sink_of(p, grain_tag[i] & tag_material_mask);
  if (s == settings.emission.sinks)
    return;
  grains[i] = Grain(vec4(grains[i].position.xyz, 0.0), vec4(0.0));
  uint world = world_of(i);
  atomicAdd(sink_counts[world * settings.emission.sinks + s], 1u);
  atomicAdd(worlds[world].population.gone, 1u);
}
