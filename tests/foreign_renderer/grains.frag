// A ball on the quad, lit from above. y of the quad is up, as in view space.
#version 460
layout(location = 0) in vec2 at;
layout(location = 1) in float tint;
layout(location = 0) out vec4 colour;

void main() {
  float rest = 1.0 - dot(at, at);
  if (rest < 0.0)
    discard;
  float light = 0.35 + 0.65 * max(dot(vec3(at, sqrt(rest)), normalize(vec3(-0.4, 0.8, 0.5))), 0.0);
  colour = vec4(light * mix(vec3(0.85, 0.62, 0.32), vec3(0.98, 0.80, 0.50), tint), 1.0);
}
