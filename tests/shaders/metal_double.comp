// Metal has no numbers of double precision.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer Values { float values[]; };

void main() {
  double x = double(values[gl_GlobalInvocationID.x]);
  values[gl_GlobalInvocationID.x] = float(x * x + 1.0lf);
}
