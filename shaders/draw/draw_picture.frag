// Light of a picture.
#version 460
#extension GL_GOOGLE_include_directive : require

const bool draft = false;
#include "shared/draw_picture.glsl"
