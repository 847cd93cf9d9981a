// Line segments as thin quads in screen space.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer LinesBlock { DrawLine draw_lines[]; };
layout(push_constant, scalar) uniform Push { vec2 pixels; };  // size of the picture

layout(location = 0) noperspective out float across;  // pixels from the middle of the line
layout(location = 1) out float along;                 // m
layout(location = 2) flat out uint line;

const float reach = 1.5;  // pixels to each side: half a line and its soft edge

vec3 from_eye(vec3 p) {
  p -= draw_frame.eye;
  vec3 right = draw_frame.right / dot(draw_frame.right, draw_frame.right);
  vec3 up = draw_frame.up / dot(draw_frame.up, draw_frame.up);
  return vec3(dot(p, right), -dot(p, up), dot(p, draw_frame.forward));
}

void main() {
  line = gl_InstanceIndex;
  vec3 a = from_eye(draw_lines[line].from), b = from_eye(draw_lines[line].to);
  float size = distance(draw_lines[line].from, draw_lines[line].to);
  vec2 corner = square_corner(gl_VertexIndex);
  across = reach * corner.y;
  along = 0.0;
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // clipped

  // What is behind the eye has no place on the screen: cut there first.
  float nearest = draw_frame.nearest;
  if (max(a.z, b.z) <= nearest)
    return;
  float start = a.z < nearest ? (nearest - a.z) / (b.z - a.z) : 0.0;
  float end = b.z < nearest ? (nearest - a.z) / (b.z - a.z) : 1.0;
  vec3 p = mix(a, b, start), q = mix(a, b, end);
  vec2 way = (q.xy / q.z - p.xy / p.z) * pixels;
  way = dot(way, way) > 0.0 ? normalize(way) : vec2(1.0, 0.0);
  vec3 here = corner.x < 0.0 ? p : q;
  along = size * (corner.x < 0.0 ? start : end);
  vec2 shift = vec2(-way.y, way.x) * across * 2.0 / pixels;
  gl_Position = vec4(here.xy + shift * here.z, nearest, here.z);
}
