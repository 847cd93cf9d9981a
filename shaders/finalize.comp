#version 460
#extension GL_GOOGLE_include_directive : require
// End of a substep: grains back into the periodic box, the greatest speed for the next plan, and is every number still a number?
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer IdBlock { uint grain_id[]; };

shared uint speed2_bits;  // floats >= 0 sort as their bits
shared uint fast;

void main() {
  uint i = element_index();
  if (gl_LocalInvocationID.x == 0u) {
    speed2_bits = 0u;
    fast = 0u;
  }
  barrier();
  if (i < args.grains) {
    Grain g = grains[i];
    precise float speed2 = g.velocity.x * g.velocity.x + g.velocity.y * g.velocity.y + g.velocity.z * g.velocity.z;
    precise float sum = speed2 + abs(g.position.x) + abs(g.position.y) + abs(g.position.z);
    if ((floatBitsToUint(sum) & 0x7F800000u) == 0x7F800000u) {  // infinite or not a number; by bits, as compilers may assume neither
      atomicMax(status.halt, halt_invalid);
      atomicMin(status.halt_grain, grain_id[i]);
    } else {
      for (int a = 0; a < 3; ++a)
        if (settings.axis[a] == axis_periodic) {
          precise float edge = settings.domain_max[a] - settings.domain_min[a];
          precise float x = g.position[a];
          if (x < settings.domain_min[a] - edge || x >= settings.domain_max[a] + edge)  // several times around
            x -= edge * floor((x - settings.domain_min[a]) / edge);
          if (x < settings.domain_min[a])
            x += edge;
          if (x >= settings.domain_max[a])
            x -= edge;
          g.position[a] = x;
        }
      grains[i].position = g.position;
      atomicMax(speed2_bits, floatBitsToUint(speed2));
      precise float way2 = 4.0 * (args.h * args.h * speed2), radius2 = g.position.w * g.position.w;
      if (way2 > radius2)
        atomicAdd(fast, 1u);
    }
  }
  barrier();
  if (gl_LocalInvocationID.x == 0u) {
    atomicMax(status.speed2_bits, speed2_bits);
    if (fast > 0u)
      atomicAdd(status.fast, fast);
  }
}
