// Adds to every element, whatever the number of groups: the linear group counts over x and y.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 7) in;
layout(scalar, binding = 3) buffer Values { uint values[]; };
layout(scalar, push_constant) uniform Args { uint count; uint value; } args;

void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i < args.count) values[i] += args.value;
}
