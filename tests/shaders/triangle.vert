#version 460
#extension GL_EXT_scalar_block_layout : require
struct Corner {
  vec3 position;
  vec3 colour;
};
layout(scalar, binding = 0) readonly buffer Corners { Corner corner[]; } corners;
layout(location = 0) out vec3 colour;

void main() {
  gl_Position = vec4(corners.corner[gl_VertexIndex].position, 1.0);
  colour = corners.corner[gl_VertexIndex].colour;
}
