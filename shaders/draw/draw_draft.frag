// Light of a draft, without fine noise, wide borders of shadows, and what varnish mirrors of the sky.
#version 460
#extension GL_GOOGLE_include_directive : require

const bool draft = true;
#include "shared/draw_picture.glsl"
