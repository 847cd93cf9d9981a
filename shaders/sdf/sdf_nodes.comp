#version 460
#extension GL_GOOGLE_include_directive : require
// Signed distance at the nodes: exact near the mesh, trilinear between the corners of bricks further off.
#include "shared/bake.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer CornersBlock { BakeCorner bake_corners[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer ValuesBlock { float bake_values[]; };

float signed_distance(uint corner) {
  return bake_corners[corner].winding > 0.5 ? -bake_corners[corner].distance : bake_corners[corner].distance;
}

float exact(uvec3 node) {
  uint nearest = nearest_corner(node, bake_grid.bricks);
  vec3 p = vec3(node), q = vec3(place_of(nearest, bake_grid.bricks + 1u) * brick_edge);
  float apart = distance(p, q), from_corner = bake_corners[nearest].distance, winding = bake_corners[nearest].winding;
  // The mesh is no further than by way of the corner; a little more for rounding.
  float d = closest(p, 1.0001 * (from_corner + apart) + 1e-3);
  // Two empty balls around node and corner that overlap lie on one side of the mesh; not near a hole, where the winding number is
  // no whole number. Half a cell, since a search that stopped early is a little above the truth.
  if (from_corner + d <= apart + 0.5 || abs(winding - round(winding)) >= 0.1)
    winding = winding_number(p);
  return winding > 0.5 ? -d : d;
}

void main() {
  uint element = args.first + element_index();
  uvec3 brick = place_of(element / brick_nodes, bake_grid.bricks);
  uvec3 inside = place_of(element % brick_nodes, uvec3(brick_edge)), node = brick * brick_edge + inside;
  if (any(greaterThanEqual(node, bake_grid.size)))
    return;
  vec3 t = vec3(inside) / float(brick_edge);
  float least = 0.0, between = 0.0;  // the mesh is no nearer than `least`
  for (uint c = 0u; c < 8u; ++c) {
    uvec3 side = uvec3(c & 1u, c >> 1 & 1u, c >> 2);
    uint corner = index_of(brick + side, bake_grid.bricks + 1u);
    vec3 share = mix(1.0 - t, t, vec3(side));
    least = max(least, bake_corners[corner].distance - float(brick_edge) * distance(t, vec3(side)));
    between += share.x * share.y * share.z * signed_distance(corner);
  }
  float far = clamp(least - bake_grid.band, 0.0, 1.0);  // from one to the other over a cell
  bake_values[index_of(node, bake_grid.size)] = far < 1.0 ? mix(exact(node), between, far) : between;
}
