// The whole picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 2, scalar) readonly buffer ExtentBlock { DrawExtent draw_extent; };

layout(location = 0) flat out vec3 shadow_origin;
layout(location = 1) flat out vec3 shadow_size;
layout(location = 2) flat out vec2 color_range;  // ends of the colour scale
layout(location = 3) flat out float greatest;    // N, force of a contact

void main() {
  ShadowBox box = shadow_box(draw_extent, draw_frame.shadow_texels);
  shadow_origin = box.origin;
  shadow_size = box.size;
  color_range = draw_frame.color_range;
  if (!(color_range.x < color_range.y))
    color_range = automatic_range(draw_frame.color_by, unordered(draw_extent.low), unordered(draw_extent.high));
  greatest = greatest_force(draw_frame, draw_extent);
  gl_Position = vec4(square_corner(gl_VertexIndex), 0.0, 1.0);
}
