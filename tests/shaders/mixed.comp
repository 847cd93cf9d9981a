// Not allowed: a runtime array behind a header in a block that is written.
#version 460
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Mixed { uint count; uint values[]; } mixed_block;
void main() { mixed_block.values[0] = mixed_block.count; }
