#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(location = 0) out uint seen;

void main() { seen = draw_slice_bits; }
