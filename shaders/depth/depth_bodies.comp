#version 460
#extension GL_GOOGLE_include_directive : require
// What a camera sees of bodies and of the floor, a ray per pixel.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer CameraBlock { DepthCamera depth_cameras[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer DepthBlock { uint depth_bits[]; };
#include "shared/solid.glsl"
#include "shared/depth.glsl"
#include "shared/depth_solid.glsl"

void main() {
  DepthCamera camera = depth_cameras[args.first];
  uint k = element_index(), pixels = pixels_of(camera);
  if (k >= settings.worlds.count * pixels)
    return;
  uint world = k / pixels, pixel = k % pixels;
  View view = view_of(camera, world);
  vec2 at = image_place(camera, uvec2(pixel % camera.width, pixel / camera.width));
  Ray ray = ray_of(view, camera.perspective != 0u, at);
  float end = camera.far;
  // The floor is seen from above.
  float above = ray.from.z - settings.domain.min.z;
  if (settings.domain.axis.z == axis_wall && ray.way.z < 0.0 && above > -camera.near * ray.way.z)
    end = min(end, above / -ray.way.z);
  for (uint b = 0u; b < settings.bodies.count; ++b)
    end = met(world * settings.bodies.count + b, camera, view, at, end);
  depth_bits[camera.first + k] = floatBitsToUint(end);
}
