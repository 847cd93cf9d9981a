#version 460
#extension GL_GOOGLE_include_directive : require
// Are there slots enough? If not, everything after this does nothing until the host has grown them and repeats the substep. One
// workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };

shared uint most;  // rows of a world

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (status.halt != halt_none || status.rebuild == 0u)
    return;
  if (lane == 0u)
    most = 0u;
  barrier();
  for (uint world = lane; world < settings.worlds; world += group_size)
    if (worlds[world].rebuild != 0u) {
      uint end = (places_end(world) + slice_grains - 1u) / slice_grains;
      uint rows = slice_start_next[end] - slice_start_next[world * (settings.places / slice_grains)];
      worlds[world].slots = rows * slice_grains;
      atomicMax(most, rows);
    }
  barrier();
  bool fits = most <= settings.rows;
  // Where they do not fit, grains are sorted anew and plan has set the margin: the repeated substep must build again.
  for (uint world = lane; world < settings.worlds; world += group_size)
    if (worlds[world].rebuild != 0u)
      worlds[world].travel = fits ? 0.0 : lists_void;
  for (uint g = lane; g < gates_total && !fits; g += group_size)
    gates[g] = Dispatch(0u, 0u, 1u);
  if (lane != 0u)
    return;
  status.slots = most * slice_grains;
  if (fits)
    status.rebuilds += 1u;
  else
    status.halt = halt_slots;
}
