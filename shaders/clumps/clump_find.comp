#version 460
#extension GL_GOOGLE_include_directive : require
// Where in memory the spheres of clumps are, once grains are sorted.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer SlotBlock { uint clump_slots[]; };
#include "shared/clump.glsl"
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains || sphere_of(grain_tag[i]) == 0u || grains[i].position.w == 0.0)
    return;
  uint first = many_worlds == 0u ? 0u : world_of(i) * settings.worlds.places;
  clump_slots[first + grain_id[i]] = i - first;
}
