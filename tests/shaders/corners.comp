// A triangle: three corners with a colour each.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
struct Corner {
  vec3 position;
  vec3 colour;
};
layout(scalar, binding = 0) writeonly buffer Corners { Corner corner[]; } corners;
layout(scalar, push_constant) uniform Args { float size; float depth; } args;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= 3) return;
  vec2 p = i == 0 ? vec2(-1, -1) : i == 1 ? vec2(1, -1) : vec2(-1, 1);
  corners.corner[i] = Corner(vec3(args.size * p, args.depth), vec3(0.0, 1.0, 0.6));  // 153 of 255; a half rounds either way
}
