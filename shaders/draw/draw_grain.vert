// Grains as squares that touch their ball at its point nearest to the eye and just cover its outline. They lie in front
// of the whole ball, so that the depth test can reject early.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 7, scalar) readonly buffer ListBlock { uint draw_list[]; };
#include "shared/draw_grains.glsl"
#include "shared/draw_orientation.glsl"

layout(location = 1) flat out vec4 ball;      // centre from the eye, radius
layout(location = 2) flat out uvec2 numbers;  // of the grain, of its facets
layout(location = 3) flat out vec4 turn;       // of the facets

void main() {
  uint grain = draw_list[gl_InstanceIndex];
  Ball seen = ball_from_eye(grain);
  numbers = uvec2(grain, seen.number);
  ball = vec4(seen.centre, seen.radius);
  turn = seen.number != 0u ? orientation_of(grain) : vec4(0.0, 0.0, 0.0, 1.0);
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // clipped
  float distance2 = dot(ball.xyz, ball.xyz);
  float radius2 = ball.w * ball.w;
  // Behind the eye, around it, or not a number: nothing to see.
  if (!(radius2 > 0.0 && distance2 > radius2 && dot(ball.xyz, draw_frame.forward) > 0.0))
    return;
  float distance = sqrt(distance2);
  float front = distance - ball.w;
  vec3 axis = ball.xyz / distance;
  vec3 x = normalize(draw_frame.right - axis * dot(draw_frame.right, axis));
  vec3 y = cross(x, axis);
  // The cone from the eye around the ball, cut at its near end.
  vec2 corner = square_corner(gl_VertexIndex) * front * ball.w / sqrt(distance2 - radius2);
  gl_Position = to_screen(draw_frame, axis * front + x * corner.x + y * corner.y);
}
