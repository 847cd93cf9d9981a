#version 460
#extension GL_GOOGLE_include_directive : require
// As sink, of fine grains.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint fine_tag[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SinkBlock { Sink sinks[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/sink.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || status.halt != halt_none || fine_grains[i].position.w == 0.0)
    return;
  vec3 p = fine_grains[i].position.xyz;
  if (sink_of(p, fine_tag[i] & tag_material_mask) == settings.emission.sinks)
    return;
  fine_grains[i] = Grain(vec4(p, 0.0), vec4(0.0));
  atomicAdd(status.fine.gone, 1u);
}
