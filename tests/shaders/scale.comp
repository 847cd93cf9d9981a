#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(scalar, binding = 1) writeonly buffer Target { float values[]; } target;
layout(scalar, binding = 0) readonly buffer Source { float values[]; } source;
layout(scalar, push_constant) uniform Args { uint count; float factor; } args;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < args.count) target.values[i] = args.factor * source.values[i];
}
