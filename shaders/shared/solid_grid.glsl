// A distance field on a grid, trilinear between its nodes. Outside it only that the surface is further off than `far`. Needs
// shape_data in scope. p from node 0.
vec4 from_grid(SolidPart part, vec3 p) {
  uvec3 size = uvec3(part.size);
  precise vec3 q = p / part.cell;
  vec3 inside = clamp(q, vec3(0.0), part.size - 1.0);
  precise vec3 way = q - inside;
  if (way != vec3(0.0)) {
    float beyond = length_of(way);
    precise float d = part.far + beyond * part.cell;
    return vec4(way / beyond, d);
  }
  uvec3 node = min(uvec3(inside), size - 2u);
  precise vec3 t = inside - vec3(node);
  float v[8];  // of corner x + 2 y + 4 z of the cell
  for (uint c = 0u; c < 8u; ++c)
    v[c] = uintBitsToFloat(shape_data[part.first + ((node.z + (c >> 2)) * size.y + node.y + (c >> 1 & 1u)) * size.x + node.x + (c & 1u)]);
  return from_corners(t, v);
}
