// Writes the arguments of a dispatch over count elements.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(scalar, binding = 0) writeonly buffer Arguments { uvec3 groups; } arguments;
layout(scalar, push_constant) uniform Args { uint count; uint group_size; } args;

void main() { arguments.groups = uvec3((args.count + args.group_size - 1) / args.group_size, 1, 1); }
