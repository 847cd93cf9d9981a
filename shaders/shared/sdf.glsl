// Sampling a distance field, as talus::sample (engine/geometry/sdf.h) does. Needs `sdf_values` in scope.

float sdf_node(SdfGrid grid, uvec3 node) {
  return sdf_values[grid.first + (node.z * grid.size.y + node.y) * grid.size.x + node.x];
}

// Trilinear: xyz the gradient, w the distance [m]. Outside the grid: the value at its nearest point and the way there.
vec4 sdf_sample(SdfGrid grid, vec3 p) {
  vec3 q = (p - grid.origin) / grid.cell;
  vec3 inside = clamp(q, vec3(0.0), vec3(grid.size - 1u));
  uvec3 node = min(uvec3(inside), grid.size - 2u);
  vec3 t = inside - vec3(node);

  vec4 low = vec4(sdf_node(grid, node), sdf_node(grid, node + uvec3(1, 0, 0)), sdf_node(grid, node + uvec3(0, 1, 0)),
                  sdf_node(grid, node + uvec3(1, 1, 0)));
  node.z += 1u;
  vec4 high = vec4(sdf_node(grid, node), sdf_node(grid, node + uvec3(1, 0, 0)), sdf_node(grid, node + uvec3(0, 1, 0)),
                   sdf_node(grid, node + uvec3(1, 1, 0)));

  vec4 face = mix(low, high, t.z);           // corners x + 2 y
  vec2 edge = mix(face.xy, face.zw, t.y);    // ends along x
  vec2 rise = mix(high.xy - low.xy, high.zw - low.zw, t.y);
  vec3 gradient = vec3(edge.y - edge.x, mix(face.z - face.x, face.w - face.y, t.x), mix(rise.x, rise.y, t.x)) / grid.cell;

  vec3 way = q - inside;
  float beyond = length(way);
  for (int a = 0; a < 3; ++a)
    if (way[a] != 0.0)
      gradient[a] = way[a] / beyond;
  return vec4(gradient, mix(edge.x, edge.y, t.x) + beyond * grid.cell);
}
