// Depth of the ball towards the light; 1 is nearest to it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
#include "shared/draw_ball.glsl"

layout(location = 0) in vec2 place;
layout(location = 1) flat in vec2 depth;
layout(location = 2) flat in uint facets;
layout(location = 3) flat in vec4 turn;
layout(depth_less) out float gl_FragDepth;

void main() {
  vec3 from = place.x * draw_frame.light_x + place.y * draw_frame.light_y, normal;
  float t;
  if (!hit_ball(Ball(vec3(0.0), 1.0, facets), turn, from, -draw_frame.light, t, normal))
    discard;
  gl_FragDepth = min(depth.x - depth.y * t, gl_FragCoord.z);
}
