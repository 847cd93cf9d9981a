#version 460
#extension GL_GOOGLE_include_directive : require
// What a camera sees of grains: each in the pixels around its outline. The nearest wins, in whatever order threads come.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer CameraBlock { DepthCamera depth_cameras[]; };
layout(set = 0, binding = 2, scalar) buffer DepthBlock { uint depth_bits[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer IdBlock { uint grain_id[]; };
#include "shared/solid.glsl"
#include "shared/depth.glsl"

shared uint large[group_size];  // grains of this workgroup that fill many pixels
shared uint large_count;

struct SeenGrain {
  vec3 centre;   // seen_from the camera
  float radius;  // m
  uint world;
  uvec2 low;     // pixels [low, low + size)
  uvec2 size;
};

// The ends of a ball's outline along one axis of the image. x: of its centre along it, ahead: likewise; reach: end of the image.
vec2 outline(DepthCamera camera, float x, float ahead, float r, float reach) {
  if (camera.perspective == 0u)
    return vec2(x - r, x + r);
  if (ahead > 1.01 * r) {  // between the planes through the eye that touch it
    float square = ahead * ahead - r * r, half_way = r * sqrt(x * x + square);
    return vec2(x * ahead - half_way, x * ahead + half_way) / square;
  }
  bool beside = abs(x) > reach * ahead + r * sqrt(1.0 + reach * reach);  // the plane through the eye and that end
  return beside ? vec2(1.0, -1.0) : vec2(-reach, reach);
}

// Pixels [x, y) of a row of n whose middles may lie between two ends, with some room for rounding.
uvec2 between(vec2 ends, float n) {
  const float room = 0.05;
  return uvec2(clamp(ends + vec2(0.5 - room, 0.5 + room), 0.0, n));
}

// No pixels where it is not seen.
SeenGrain seen_grain(DepthCamera camera, uint i) {
  SeenGrain seen;
  seen.size = uvec2(0u);
  if (i >= args.grains || grains[i].position.w == 0.0 || grain_id[i] - settings.cloth.first < settings.cloth.vertices)
    return seen;
  seen.world = world_of(i);
  seen.radius = grains[i].position.w;
  seen.centre = seen_from(view_of(camera, seen.world), grains[i].position.xyz);
  if (!(all(lessThan(abs(seen.centre), vec3(1e12))) && seen.centre.z + seen.radius > camera.near &&
        seen.centre.z - seen.radius < camera.far))
    return seen;
  vec2 x = outline(camera, seen.centre.x, seen.centre.z, seen.radius, -camera.corner.x);
  vec2 y = outline(camera, seen.centre.y, seen.centre.z, seen.radius, camera.corner.y);
  uvec2 columns = between((x - camera.corner.x) / camera.pixel.x, float(camera.width));
  uvec2 rows = between((camera.corner.y - y.yx) / camera.pixel.y, float(camera.height));
  seen.low = uvec2(columns.x, rows.x);
  if (columns.x < columns.y && rows.x < rows.y)
    seen.size = uvec2(columns.y, rows.y) - seen.low;
  return seen;
}

// Pixel k of those around its outline.
void see(DepthCamera camera, SeenGrain seen, uint k) {
  uvec2 pixel = seen.low + uvec2(k % seen.size.x, k / seen.size.x);
  vec2 at = image_place(camera, pixel), slope = camera.perspective != 0u ? at : vec2(0.0);
  // What the ray passes the centre by where it is beside it, which stays precise for small grains far away.
  precise vec2 past = seen.centre.xy - (camera.perspective != 0u ? seen.centre.z * at : at);
  precise float twist = slope.x * past.y - slope.y * past.x, length2 = 1.0 + slope.x * slope.x + slope.y * slope.y;
  precise float inside = length2 * seen.radius * seen.radius - (past.x * past.x + past.y * past.y + twist * twist);
  if (inside < 0.0)
    return;
  float t = seen.centre.z + (slope.x * past.x + slope.y * past.y - sqrt(inside)) / length2;
  if (t > camera.near && t < camera.far)
    atomicMin(depth_bits[camera.first + seen.world * pixels_of(camera) + pixel.y * camera.width + pixel.x], floatBitsToUint(t));
}

void main() {
  DepthCamera camera = depth_cameras[args.first];
  uint i = element_index(), lane = gl_LocalInvocationID.x;
  if (lane == 0u)
    large_count = 0u;
  barrier();
  SeenGrain seen = seen_grain(camera, i);
  uint pixels = seen.size.x * seen.size.y;
  if (pixels > depth_alone)
    large[atomicAdd(large_count, 1u)] = i;
  else
    for (uint k = 0u; k < pixels; ++k)
      see(camera, seen, k);
  barrier();
  for (uint n = 0u; n < large_count; ++n) {
    SeenGrain one = seen_grain(camera, large[n]);
    for (uint k = lane; k < one.size.x * one.size.y; k += group_size)
      see(camera, one, k);
  }
}
