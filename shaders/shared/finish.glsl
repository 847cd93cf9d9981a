// The end of a grain's substep: back into the periodic box, the greatest speed for the next plan, and is every number still a
// number? All threads of a workgroup call it. Needs settings, status and grain_id in scope; status may be written.
shared uint speed2_bits;  // floats >= 0 sort as their bits
shared uint fast;

// alive: false for threads that have no grain.
Grain finish(bool alive, uint i, Grain g) {
  if (gl_LocalInvocationID.x == 0u) {
    speed2_bits = 0u;
    fast = 0u;
  }
  barrier();
  if (alive) {
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
  return g;
}
