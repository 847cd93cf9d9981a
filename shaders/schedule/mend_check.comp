#version 460
#extension GL_GOOGLE_include_directive : require
// Are the lists mended? If not, all of them are built in this substep, and mending rests for some time. One workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 3, scalar) readonly buffer SpeedBlock { float body_speeds[]; };
layout(set = 0, binding = 4, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer ListedBlock { BodyMotion body_listed[]; };
#include "shared/plan.glsl"
#include "shared/stale.glsl"

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (status.halt != halt_none)
    return;
  bool mended = !too_many_stale() && worlds[0].unfit == 0u;
  barrier();
  for (uint body = lane; body < settings.bodies.count && mended; body += group_size)
    body_listed[body] = bodies[body].motion;
  if (lane != 0u)
    return;
  if (mended) {
    worlds[0].travel = worlds[0].stale_way;
    status.mends += 1u;
    return;
  }
  worlds[0].mend_wait = too_many_stale() ? mend_pause : 0u;
  worlds[0].travel = lists_void;
  status.rebuild = 1u;
  new_grid(0u, motion_of(0u));
  open_rebuild(1u);
}
