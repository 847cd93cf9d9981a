// Not every GPU that runs Metal adds up over a subgroup.
#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer Values { uint values[]; };

void main() {
  values[gl_GlobalInvocationID.x] = subgroupAdd(values[gl_GlobalInvocationID.x]);
}
