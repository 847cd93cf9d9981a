// Panels over the picture: textured triangles in screen space (Dear ImGui's lists).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"

layout(set = 0, binding = 0, scalar) readonly buffer VerticesBlock { GuiVertex gui_vertices[]; };
layout(set = 0, binding = 1, scalar) readonly buffer IndicesBlock { uint gui_indices[]; };
layout(push_constant, scalar) uniform Push { GuiDraw gui; };

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 place;  // in the texture, 0 .. 1

void main() {
  GuiVertex vertex = gui_vertices[gui.first_vertex + gui_indices[gl_VertexIndex]];
  color = unpackUnorm4x8(vertex.color);
  place = vertex.place;
  gl_Position = vec4(vertex.position * gui.scale + gui.shift, 0.0, 1.0);
}
