// Depth of the sphere towards the light; 1 is nearest to it.
#version 460
layout(location = 0) in vec2 place;
layout(location = 1) flat in vec2 depth;
layout(depth_less) out float gl_FragDepth;

void main() {
  float inside = 1.0 - dot(place, place);
  if (inside < 0.0)
    discard;
  gl_FragDepth = min(depth.x + depth.y * sqrt(inside), gl_FragCoord.z);
}
