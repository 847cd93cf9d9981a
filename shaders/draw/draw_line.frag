// A thin line with soft edges, hidden where grains are nearer.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 2, scalar) readonly buffer LinesBlock { DrawLine draw_lines[]; };
layout(set = 0, binding = 6) uniform sampler2D draw_depth;

layout(location = 0) noperspective in float across;
layout(location = 1) in float along;
layout(location = 2) flat in uint line;
layout(location = 0) out vec4 picture;

void main() {
  float cover = clamp(1.1 - abs(across), 0.0, 1.0);
  if ((draw_lines[line].style & draw_dashed) != 0u) {
    float phase = abs(fract(along / draw_lines[line].dash) - 0.5) * 2.0;  // 1 in the middle of a dash
    float soft = fwidth(along) / draw_lines[line].dash * 2.0;
    cover *= smoothstep(0.45 - soft, 0.45 + soft, phase);
  }
  ivec2 corner = ivec2(gl_FragCoord.xy) * 2;
  float visible = 0.0;
  for (int i = 0; i < 4; ++i)
    visible += step(texelFetch(draw_depth, corner + ivec2(i & 1, i >> 1), 0).r, gl_FragCoord.z);
  picture = draw_lines[line].color;
  picture.a *= cover * visible / 4.0;
}
