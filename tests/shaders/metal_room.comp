// More of everything than Metal has: 31 buffers beside the one for push constants, 1089 threads in a group, 34,848 bytes
// that they share.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 33, local_size_y = 33) in;
shared vec4 row[33 * 33];
shared vec3 column[33 * 33];
layout(scalar, push_constant) uniform Args { uint count; } args;
#define FIELD(n) layout(scalar, binding = n) buffer Field##n { uint value; } field_##n;
#define ADD(n) field_##n.value += args.count;
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
EACH(FIELD)

void main() {
  uint i = gl_LocalInvocationIndex;
  row[i] = vec4(args.count);
  column[i] = vec3(args.count);
  barrier();
  EACH(ADD)
  field_0.value += uint(row[1088 - i].x + column[1088 - i].x);
}
