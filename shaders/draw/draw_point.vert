// Grains within a sample, as points: the sample that holds the centre looks whether it meets the ball.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 7, scalar) readonly buffer ListBlock { uint draw_list[]; };
#include "shared/draw_grains.glsl"

layout(location = 1) flat out vec4 ball;
layout(location = 2) flat out uvec2 numbers;
layout(location = 3) flat out vec4 turn;

void main() {
  uint grain = draw_list[gl_VertexIndex];
  Ball seen = ball_from_eye(grain);
  numbers = uvec2(grain, seen.number);
  ball = vec4(seen.centre, seen.radius);
  turn = vec4(0.0, 0.0, 0.0, 1.0);
  gl_PointSize = 1.0;
  gl_Position = to_screen(draw_frame, seen.centre);
  // As near as the ball's front is, as squares are.
  gl_Position.z *= gl_Position.w / max(gl_Position.w - ball.w, 1e-9);
}
