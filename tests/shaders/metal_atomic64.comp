// Metal has no atomic addition of 64-bit integers.
#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer Sum { uint64_t sum; } total;

void main() {
  atomicAdd(total.sum, 1ul);
}
