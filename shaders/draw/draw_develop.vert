// The whole picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

void main() { gl_Position = vec4(square_corner(gl_VertexIndex), 0.0, 1.0); }
