// A quad for each place of a grain, turned to the camera: an instance of the indirect draw.
#version 460
layout(push_constant) uniform Push { mat4 view, projection; };
layout(location = 0) in vec4 grain;  // position [m], radius [m]; radius 0: no grain, and no pixels
layout(location = 0) out vec2 at;    // in radii, from the centre
layout(location = 1) out float tint;

void main() {
  const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
  at = corners[gl_VertexIndex];
  tint = fract(43758.5 * sin(grain.w * 1e6));  // no two sizes have the same
  gl_Position = projection * (view * vec4(grain.xyz, 1.0) + vec4(grain.w * at, 0.0, 0.0));
}
