#version 460
#extension GL_GOOGLE_include_directive : require
// Where in memory the particles of shapes are, once grains are sorted.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer PlaceBlock { uint shape_index[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint i = rebuilt_place(element_index()), world = world_of(i);
  if (i >= args.grains)
    return;
  uint k = grain_id[i] - settings.shapes.first;
  if (k < settings.shapes.particles)
    shape_index[world * settings.shapes.particles + k] = i - world * settings.worlds.places;
}
