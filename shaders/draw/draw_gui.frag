// See draw_gui.vert. What is clipped is left out here: the graph has no scissor.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 2) uniform sampler2D gui_texture;
layout(push_constant, scalar) uniform Push { GuiDraw gui; };

layout(location = 0) in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 picture;

void main() {
  if (any(lessThan(gl_FragCoord.xy, gui.clip.xy)) || any(greaterThanEqual(gl_FragCoord.xy, gui.clip.zw)))
    discard;
  picture = color * textureLod(gui_texture, place, 0.0);
}
