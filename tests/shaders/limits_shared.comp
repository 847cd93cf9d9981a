// Shares 256 bytes in a group: 4 x 16 of vectors, of three components in the room of four, 12 x 4 x 4 of a structure.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 4) in;
layout(scalar, binding = 0) buffer Values { float values[]; };
struct Pair {
  float a;
  uint b[11];
};
shared vec3 directions[4];
shared Pair pairs[2][2];

void main() {
  uint i = gl_LocalInvocationIndex;
  directions[i] = vec3(values[i]);
  pairs[i / 2][i % 2] = Pair(values[i], uint[](i, i, i, i, i, i, i, i, i, i, i));
  barrier();
  values[i] = directions[3 - i].z + pairs[0][1].a + float(pairs[1][0].b[10]);
}
