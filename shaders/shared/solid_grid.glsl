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

  // Along x, then y, then z.
  precise vec4 x = vec4(v[0] + t.x * (v[1] - v[0]), v[2] + t.x * (v[3] - v[2]), v[4] + t.x * (v[5] - v[4]), v[6] + t.x * (v[7] - v[6]));
  precise vec2 y = vec2(x.x + t.y * (x.y - x.x), x.z + t.y * (x.w - x.z));
  precise float distance = y.x + t.z * (y.y - y.x);
  precise vec4 rise = vec4(v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6]);
  precise vec2 rise_y = vec2(rise.x + t.y * (rise.y - rise.x), rise.z + t.y * (rise.w - rise.z));
  precise vec2 up = vec2(x.y - x.x, x.w - x.z);
  precise vec3 gradient = vec3(rise_y.x + t.z * (rise_y.y - rise_y.x), up.x + t.z * (up.y - up.x), y.y - y.x);
  float slope = length_of(gradient);
  vec3 n = slope > 0.0 ? gradient / slope : vec3(0.0, 0.0, 1.0);
  return vec4(n, distance);
}
