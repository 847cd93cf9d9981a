#version 460
#extension GL_EXT_scalar_block_layout : require
layout(scalar, binding = 1) readonly buffer Tint { float tint[]; };
layout(location = 0) in vec3 colour;
layout(location = 0) out vec4 pixel;

void main() {
  if (gl_FragCoord.x < 1.0) discard;
  pixel = vec4(colour * tint[0], 1.0);
}
