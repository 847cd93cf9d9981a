// The picture in red, a shadow test at depth 0.5 in green.
#version 460
layout(binding = 1) uniform sampler2D picture;
layout(binding = 3) uniform sampler2DShadow shadow;
layout(location = 0) out vec4 pixel;

void main() {
  vec2 at = gl_FragCoord.xy / vec2(textureSize(picture, 0));
  pixel = vec4(texture(picture, at).g, texture(shadow, vec3(at, 0.5)), 0.0, 1.0);
}
