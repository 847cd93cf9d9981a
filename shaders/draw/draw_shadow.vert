// Grains as the light sees them: a square that touches the ball at the point nearest to the light.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 7, scalar) readonly buffer ListBlock { uint draw_list[]; };
#include "shared/draw_grains.glsl"
#include "shared/draw_orientation.glsl"

layout(location = 0) out vec2 place;       // on the square, -1 .. 1
layout(location = 1) flat out vec2 depth;  // of the centre, and of one radius
layout(location = 2) flat out uint facets;
layout(location = 3) flat out vec4 turn;  // of the facets

void main() {
  place = vec2(0.0);
  depth = vec2(0.0);
  facets = 0u;
  turn = vec4(0.0, 0.0, 0.0, 1.0);
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // clipped
  ShadowBox box = shadow_box(draw_extent, draw_frame.shadow_texels);
  uint grain = draw_list[draw_frame.drawn + gl_InstanceIndex];
  Ball ball = ball_at(grain, box.size.x / draw_frame.shadow_texels);
  if (!(ball.radius > 0.0))
    return;
  vec3 centre = (along_light(draw_frame, ball.centre) - box.origin) / box.size;
  vec3 radius = ball.radius / box.size;
  place = square_corner(gl_VertexIndex);
  depth = vec2(centre.z, radius.z);
  facets = ball.number;
  if (facets != 0u)
    turn = orientation_of(grain);
  gl_Position = vec4((centre.xy + radius.xy * place) * 2.0 - 1.0, centre.z + radius.z, 1.0);
}
