#version 460
#extension GL_GOOGLE_include_directive : require
// The end of a substep, for methods whose last solver pass leaves it open.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
#include "shared/finish.glsl"

void main() {
  uint i = element_index();
  bool alive = i < args.grains;
  Grain grain = finish(alive, i, grains[alive ? i : 0u]);
  if (alive)
    grains[i].position = grain.position;
}
