#version 460
#extension GL_GOOGLE_include_directive : require
// Distance and winding number at the corners of bricks: what the nodes of a brick go by.
#include "shared/bake.glsl"

layout(set = 0, binding = 3, scalar) writeonly buffer CornersBlock { BakeCorner bake_corners[]; };

void main() {
  uint i = args.first + element_index();
  uvec3 size = bake_grid.bricks + 1u;
  if (i >= size.x * size.y * size.z)
    return;
  vec3 p = vec3(place_of(i, size) * brick_edge);
  bake_corners[i] = BakeCorner(closest(p, 1e18), winding_number(p));
}
