#version 460
#extension GL_GOOGLE_include_directive : require
// Are the lists rebuilt incrementally? If not, all of them are built in this substep, and incremental rebuilds pause for some time. One workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 3, scalar) readonly buffer SpeedBlock { float body_speeds[]; };
layout(set = 0, binding = 4, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 5, scalar) buffer ListedBlock { BodyMotion body_listed[]; };
#include "shared/plan.glsl"
#include "shared/displaced.glsl"
#include "shared/moved.glsl"

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (status.halt != halt_none)
    return;
  bool incremental = !too_many_displaced() && worlds[0].incremental.unfit == 0u;
  barrier();
  for (uint body = lane; body < settings.bodies.count && incremental; body += group_size)
    if (has_moved(body, worlds[0].incremental.distance))
      body_listed[body] = bodies[body].motion;
  if (lane != 0u)
    return;
  if (incremental) {
    worlds[0].lists.travel = worlds[0].incremental.distance;
    status.lists.incremental_rebuilds += 1u;
    return;
  }
  worlds[0].incremental.wait = too_many_displaced() ? incremental_pause : 0u;
  worlds[0].lists.travel = lists_invalid;
  status.lists.rebuilding = 1u;
  new_grid(0u, motion_of(0u));
  open_rebuild(1u);
}
