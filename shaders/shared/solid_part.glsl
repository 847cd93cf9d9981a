// Part k of the shapes of bodies and sinks, which shape_data begins with. Needs shape_data in scope.
SolidPart solid_part(uint k) {
  uint n = part_words * k;
  float f[10];
  for (uint c = 0u; c < 10u; ++c)
    f[c] = uintBitsToFloat(shape_data[n + c]);
  return SolidPart(vec4(f[0], f[1], f[2], f[3]), vec3(f[4], f[5], f[6]), vec3(f[7], f[8], f[9]), shape_data[n + 10u], shape_data[n + 11u],
                   uintBitsToFloat(shape_data[n + 12u]), uintBitsToFloat(shape_data[n + 13u]));
}
