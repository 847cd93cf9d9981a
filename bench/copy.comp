#version 460
#extension GL_EXT_scalar_block_layout : require
// What a device's memory can do: a copy by a compute pass, as all of Talus' are. NVIDIA's own has a third of the speed.
layout(local_size_x = 128) in;
layout(scalar, binding = 0) readonly buffer From { uvec4 from[]; };
layout(scalar, binding = 1) writeonly buffer To { uvec4 to[]; };
layout(scalar, push_constant) uniform Args { uint count; } args;

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i < args.count)
    to[i] = from[i];
}
