// From light to the picture: highlights that are compressed, and sRGB.
#version 460
#extension GL_GOOGLE_include_directive : require

layout(set = 0, binding = 0) uniform sampler2D draw_radiance;
layout(location = 0) out vec4 picture;

// Khronos PBR neutral (2024) without its toe, which takes off the light that surfaces mirror: colours stay what they are, also where they stand
// for numbers, and highlights are compressed softly.
vec3 tone_map(vec3 color) {
  const float start = 0.76, room = 1.0 - start, desaturation = 0.15;
  float peak = max(color.r, max(color.g, color.b));
  if (peak < start)
    return color;
  float compressed = 1.0 - room * room / (peak + room - start);
  color *= compressed / peak;
  return mix(vec3(compressed), color, 1.0 / (desaturation * (peak - compressed) + 1.0));
}

void main() {
  vec3 linear = clamp(tone_map(texelFetch(draw_radiance, ivec2(gl_FragCoord.xy), 0).rgb), 0.0, 1.0);
  // To sRGB by hand: half a step of noise hides the bands of the sky.
  vec3 encoded = mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThan(linear, vec3(0.0031308)));
  float noise = fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715))));
  picture = vec4(encoded + (noise - 0.5) / 255.0, 1.0);
}
