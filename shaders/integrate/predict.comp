#version 460
#extension GL_GOOGLE_include_directive : require
// v += h g, x += h v.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer GrainsBlock { Grain grains[]; };

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain g = grains[i];
  if (g.velocity.w > 0.0)
    g.velocity.xyz += args.h * settings.domain.gravity;
  g.position.xyz += args.h * g.velocity.xyz;
  grains[i] = g;
}
