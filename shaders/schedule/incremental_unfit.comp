#version 460
#extension GL_GOOGLE_include_directive : require
// Were rows too short for what was found? Then incremental_refit and another search open. One workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
#include "shared/gates.glsl"

void main() {
  if (gl_LocalInvocationID.x == 0u && worlds[0].incremental.unfit > 0u)
    open(gate_incremental_unfit, groups_for(args.grains));
}
