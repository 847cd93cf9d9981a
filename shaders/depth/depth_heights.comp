#version 460
#extension GL_GOOGLE_include_directive : require
// Distances along a camera's axis become heights above the domain's lower end; 0 where nothing is seen.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer CameraBlock { DepthCamera depth_cameras[]; };
layout(set = 0, binding = 2, scalar) buffer DepthBlock { uint depth_bits[]; };
#include "shared/solid.glsl"
#include "shared/depth.glsl"

void main() {
  DepthCamera camera = depth_cameras[args.first];
  uint k = element_index(), pixels = pixels_of(camera);
  if (k >= settings.worlds.count * pixels)
    return;
  uint pixel = k % pixels;
  float t = uintBitsToFloat(depth_bits[camera.first + k]);
  vec2 at = image_place(camera, uvec2(pixel % camera.width, pixel / camera.width));
  Ray ray = ray_of(view_of(camera, k / pixels), camera.perspective != 0u, at);
  float height = t < camera.far ? ray.from.z + t * ray.way.z - settings.domain.min.z : 0.0;
  depth_bits[camera.first + k] = floatBitsToUint(height);
}
