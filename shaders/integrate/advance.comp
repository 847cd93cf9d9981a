#version 460
#extension GL_GOOGLE_include_directive : require
// x += h v, and the end of the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
#include "shared/finish.glsl"

void main() {
  uint i = element_index();
  bool alive = i < args.grains;
  Grain grain = grains[alive ? i : 0u];
  grain.position.xyz += args.h * grain.velocity.xyz;
  grain = finish(alive, i, grain);
  if (alive)
    grains[i].position = grain.position;
}
