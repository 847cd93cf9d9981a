// The end of a grain's substep: back into the periodic box, which is counted, the greatest speed for the next plan, and is every number still a
// number? All threads of a workgroup call it. Needs worlds in scope, to be written, and grain_tag where SPEEDS_ARE_COUNTED is not defined: it
// says that the speeds of these grains have been compared with their radii elsewhere in this substep.
// A workgroup's grains are of one world, except where its slices were listed (LISTED_SLICES): then each slice has numbers of its own.
#ifdef LISTED_SLICES
const uint finish_bins = group_size / slice_grains;
#define BY_SLICE (sleeping != 0u && many_worlds != 0u)
#else
const uint finish_bins = 1u;
#define BY_SLICE false
#endif
shared uint speed2_bits[finish_bins];  // floats >= 0 sort as their bits
shared uint fast[finish_bins];
shared uint crossed[finish_bins][6];  // times that grains left each end of a periodic axis

uint finish_bin() { return BY_SLICE ? gl_LocalInvocationID.x / slice_grains : 0u; }
bool first_of_bin() { return gl_LocalInvocationID.x % (BY_SLICE ? slice_grains : group_size) == 0u; }

#include "shared/laws/dialect.h"
#include "shared/laws/around.h"

// x, back between the ends of axis a where that is periodic, which is counted.
float wrapped(float x, uint a, float low, float high) {
  if ((periodic_axes >> a & 1u) == 0u)
    return x;
  int laps;
  x = around(x, low, high, laps);
  if (laps != 0)
    atomicAdd(crossed[finish_bin()][2u * a + (laps > 0 ? 1u : 0u)], uint(abs(laps)));
  return x;
}

// Before the grains of a workgroup: all of its threads call it, and finish_end() behind them.
void finish_begin() {
  uint bin = finish_bin();
  if (first_of_bin()) {
    speed2_bits[bin] = 0u;
    fast[bin] = 0u;
    for (int k = 0; k < 6 && periodic_axes != 0u; ++k)
      crossed[bin][k] = 0u;
  }
  barrier();
}

// Of grain i, in a thread.
Grain finish_grain(uint i, Grain g) {
  precise float speed2 = g.velocity.x * g.velocity.x + g.velocity.y * g.velocity.y + g.velocity.z * g.velocity.z;
  precise float sum = speed2 + abs(g.position.x) + abs(g.position.y) + abs(g.position.z);
  if ((floatBitsToUint(sum) & 0x7F800000u) == 0x7F800000u) {  // infinite or not a number; by bits, as compilers may assume neither
    atomicMin(worlds[world_of(i)].invalid, i);
  } else {
    if (periodic_axes != 0u) {
      vec3 p = g.position.xyz, low = settings.domain.min, high = settings.domain.max;
      g.position.xyz = vec3(wrapped(p.x, 0u, low.x, high.x), wrapped(p.y, 1u, low.y, high.y), wrapped(p.z, 2u, low.z, high.z));
    }
    atomicMax(speed2_bits[finish_bin()], floatBitsToUint(speed2));
#ifndef SPEEDS_ARE_COUNTED
    precise float way2 = 4.0 * (args.h * args.h * speed2), radius2 = g.position.w * g.position.w;
    if (way2 > radius2 && (grain_tag[i] & tag_thin) == 0u)
      atomicAdd(fast[finish_bin()], 1u);
#endif
  }
  return g;
}

// i: of a grain of the bin's world.
void finish_end(uint i) {
  uint bin = finish_bin();
  barrier();
  if (first_of_bin()) {
    uint world = world_of(min(i, args.grains - 1u));
    atomicMax(worlds[world].motion.speed2_bits, speed2_bits[bin]);
    if (fast[bin] > 0u)
      atomicAdd(worlds[world].motion.cfl_violations, fast[bin]);
    for (int a = 0; a < 3 && periodic_axes != 0u; ++a) {
      if (crossed[bin][2 * a] > 0u)
        atomicAdd(worlds[world].periodic.down[a], crossed[bin][2 * a]);
      if (crossed[bin][2 * a + 1] > 0u)
        atomicAdd(worlds[world].periodic.up[a], crossed[bin][2 * a + 1]);
    }
  }
}

// A grain in each thread. alive: false for threads that have none.
Grain finish(bool alive, uint i, Grain g) {
  finish_begin();
  if (alive && g.position.w > 0.0)  // gone grains have no radius
    g = finish_grain(i, g);
  finish_end(i);
  return g;
}
