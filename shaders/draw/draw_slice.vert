// The square through a body that shows its distance field.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 1, scalar) readonly buffer FrameBlock { DrawFrame draw_frame; };
layout(set = 0, binding = 9, scalar) readonly buffer BodiesBlock { Body bodies[]; };
layout(set = 0, binding = 10, scalar) readonly buffer LooksBlock { DrawBody draw_bodies[]; };
#include "shared/draw_body.glsl"
#include "shared/draw_slice.glsl"

void main() { gl_Position = to_screen(draw_frame, slice_point(square_corner(gl_VertexIndex)) - draw_frame.eye); }
