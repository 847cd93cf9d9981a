// A box from 36 vertices without a buffer.
#version 460
layout(push_constant) uniform Push { mat4 clip; vec4 low, high, colour; };
layout(location = 0) out vec3 lit;

void main() {
  uint face = gl_VertexIndex / 6, axis = face / 2, side = face % 2;
  const vec2 corners[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1));
  vec2 c = corners[gl_VertexIndex % 6];
  vec3 p;
  p[axis] = float(side);
  p[(axis + 1) % 3] = c.x;
  p[(axis + 2) % 3] = c.y;
  gl_Position = clip * vec4(mix(low.xyz, high.xyz, p), 1.0);
  lit = colour.rgb * (axis == 2 ? 1.0 : axis == 0 ? 0.75 : 0.55);
}
