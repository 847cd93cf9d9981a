// The box around a triangle of cloth, from its first corner. Needs grains, space.glsl, cloth.glsl and cloth_slot.glsl in scope.
struct Box {
  vec3 low, high;
};

Box box_of(uint triangle) {
  vec3 p = grains[slot_of_vertex(triangle_corner(triangle, 0u))].position.xyz;
  Box box = Box(vec3(0.0), vec3(0.0));
  for (uint c = 1u; c < 3u; ++c) {
    precise vec3 side = grains[slot_of_vertex(triangle_corner(triangle, c))].position.xyz - p;
    side = shortest(side);
    box.low = min(box.low, side);
    box.high = max(box.high, side);
  }
  return box;
}
