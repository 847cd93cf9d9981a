#version 460
#extension GL_GOOGLE_include_directive : require
// Are there slots enough? If not, everything after this does nothing until the host has grown them and repeats the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) readonly buffer StartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };

void main() {
  if (element_index() != 0u || status.halt != halt_none || status.rebuild == 0u)
    return;
  status.slots = slice_start_next[(args.grains + slice_grains - 1u) / slice_grains] * slice_grains;
  if (status.slots > status.slots_capacity) {
    status.halt = halt_slots;
    status.travel = lists_void;  // grains are sorted anew and plan has set the margin: the repeated substep must build again
    for (uint g = 0u; g < gates_total; ++g)
      gates[g] = Dispatch(0u, 0u, 1u);
    return;
  }
  status.travel = 0.0;
  status.rebuilds += 1u;
}
