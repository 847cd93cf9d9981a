#version 460
#extension GL_GOOGLE_include_directive : require
// Where the sorting has put the vertices of cloth.
#include "shared/pass.glsl"
#include "shared/cloth.h"

layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer PlaceBlock { uint cloth_index[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer ShapeBlock { uint shape_data[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  uint k = grain_id[i] - settings.cloth.first;
  if (k < settings.cloth.vertices) {
    uint vertex = world * settings.cloth.vertices + k;
    cloth_index[vertex] = i - world * settings.worlds.places;
    shape_data[cloth_index_word(settings.cloth.words, settings.worlds.count * settings.cloth.triangles, vertex)] = i;
  }
}
