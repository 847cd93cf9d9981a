#version 460
#extension GL_GOOGLE_include_directive : require
// The vertices of cloth after an iteration of their links.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer PlaceBlock { uint cloth_index[]; };
layout(set = 0, binding = 4, scalar) readonly buffer WorkBlock { ClothWork cloth_work[]; };
#include "shared/cloth_slot.glsl"

void main() {
  uint k = own_vertex();
  if (k != no_vertex && status.halt == halt_none)
    grains[slot_of_vertex(k)] = cloth_work[k].next;
}
