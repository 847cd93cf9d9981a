// Part k of the shapes of bodies and sinks, which shape_data begins with. Needs shape_data in scope.
vec3 shape_vec3(uint word) {
  return vec3(uintBitsToFloat(shape_data[word]), uintBitsToFloat(shape_data[word + 1u]), uintBitsToFloat(shape_data[word + 2u]));
}
uint part_kind(uint k) { return shape_data[part_words * k + part_kind_word]; }
SolidPart solid_part(uint k) {
  uint n = part_words * k;
  return SolidPart(vec4(shape_vec3(n), uintBitsToFloat(shape_data[n + 3u])), shape_vec3(n + 4u), shape_vec3(n + 7u), shape_data[n + 10u],
                   shape_data[n + 11u], uintBitsToFloat(shape_data[n + 12u]), uintBitsToFloat(shape_data[n + 13u]));
}
