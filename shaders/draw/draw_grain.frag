// Which grain is seen, and its depth. The colours come later, once per pixel (draw_picture.frag).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
#include "shared/draw_ball.glsl"

layout(location = 1) flat in vec4 ball;
layout(location = 2) flat in uvec2 numbers;
layout(location = 3) flat in vec4 turn;
layout(location = 0) out uint seen;  // grain + 1
layout(depth_less) out float gl_FragDepth;

void main() {
  vec3 direction = normalize(view_ray(draw_frame, gl_FragCoord.xy / draw_frame.samples)), normal;
  float t;
  if (!hit_ball(Ball(ball.xyz, ball.w, numbers.y), turn, -ball.xyz, direction, t, normal))
    discard;
  seen = numbers.x + 1u;
  float z = t * dot(direction, draw_frame.forward);
  gl_FragDepth = min(draw_frame.nearest / z, gl_FragCoord.z);
}
