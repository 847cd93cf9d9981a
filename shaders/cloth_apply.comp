#version 460
#extension GL_GOOGLE_include_directive : require
// The vertices of cloth after an iteration of their links.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) writeonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_place[]; };
layout(set = 0, binding = 5, scalar) readonly buffer WorkBlock { ClothWork cloth_work[]; };
#define COUNTS_FAST false
#include "shared/finish.glsl"

void main() {
  uint k = element_index();
  bool alive = k < settings.cloth && status.halt == halt_none;
  uint i = alive ? cloth_place[k] : 0u;
  Grain grain;
  if (alive)
    grain = cloth_work[k].next;
  if (args.iteration + 1u == args.iterations)
    grain = finish(alive, i, grain);
  if (alive)
    grains[i] = grain;
}
