// Grains as squares that touch their ball at its point nearest to the eye and just cover its outline. They lie in front
// of the whole ball, so that the depth test can reject early.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
#include "shared/draw_grains.glsl"

layout(location = 0) out vec3 ray;            // from the eye
layout(location = 1) flat out vec4 ball;      // centre from the eye, radius
layout(location = 2) flat out uvec2 numbers;  // of the grain, of its facets

void main() {
  numbers = uvec2(gl_InstanceIndex, 0u);
  ball = vec4(0.0);
  ray = vec3(0.0);
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // clipped
  if (!is_drawn(gl_InstanceIndex))
    return;
  Ball seen = ball_from_eye(gl_InstanceIndex);
  ball = vec4(seen.centre, seen.radius);
  numbers.y = seen.number;
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
  ray = axis * front + x * corner.x + y * corner.y;
  gl_Position = to_screen(draw_frame, ray);
}
