#version 460
#extension GL_GOOGLE_include_directive : require
// Counts the coarse grains of each near cell, and writes their motion to the blocks of near cells that it matters to.
#include "shared/pass.glsl"
#include "shared/fine.h"

layout(set = 0, binding = 1, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 2, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 3, scalar) buffer CountBlock { uint near_count[]; };
layout(set = 0, binding = 4, scalar) buffer MotionBlock { uint near_motion[]; };
#include "shared/near.glsl"
#include "shared/advecting.glsl"

void tell_of_motion(vec3 p, vec3 velocity) {
  precise float speed2 = dot(velocity, velocity);
  if (speed2 == 0.0)
    return;
  uint how = speed2 > near_stirring2 ? near_stirs : near_moves;
  float sees = near_reach * settings.near_grid.radius;
  precise vec3 reach = how == near_stirs ? sees + 2.0 * settings.density_grid.edges : vec3(sees);
  precise vec3 low = p - reach, high = p + reach;
  ivec3 first = near_cell(low), last = near_cell(high), count = settings.near_grid.cells;
  for (int z = first.z; z <= last.z; z = near_next(z, last.z, count.z))
    for (int y = first.y; y <= last.y; y = near_next(y, last.y, count.y))
      for (int x = first.x; x <= last.x; x = near_next(x, last.x, count.x)) {
        ivec3 cell = ivec3(x, y, z);
        for (int a = 0; a < 3; ++a)
          if (count[a] > 0)
            cell[a] = grid_home(cell[a], count[a]);
        uint block = near_block(cell, settings.near_grid.bits);
        if (near_motion[block] < how)
          atomicMax(near_motion[block], how);
      }
}

void main() {
  uint i = element_index();
  if (i >= args.grains || !is_advecting(i))
    return;
  atomicAdd(near_count[near_key(near_cell(grains[i].position.xyz))], 1u);
  tell_of_motion(grains[i].position.xyz, grains[i].velocity.xyz);
}
