#version 460
#extension GL_GOOGLE_include_directive : require
// Each pixel casts a ray at the columns of the ground, which may hide the bodies and the floor that depth_bodies has found.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer CameraBlock { DepthCamera depth_cameras[]; };
layout(set = 0, binding = 2, scalar) buffer DepthBlock { uint depth_bits[]; };
layout(set = 0, binding = 3, scalar) readonly buffer ColumnBlock { SoilColumn soil_columns[]; };
layout(set = 0, binding = 4, scalar) readonly buffer QuantumBlock { float soil_quantum[]; };
layout(set = 0, binding = 5, scalar) readonly buffer SiteBlock { SoilSite soil_site[]; };
#include "shared/solid.glsl"
#include "shared/depth.glsl"
#include "shared/soil_top.glsl"

// Where a ray is between two planes across an axis: from t = x to t = y; from +-1e30 on where it runs along them.
vec2 span_between(float low, float high, float from, float way) {
  if (abs(way) < 1e-12)
    return from >= low && from < high ? vec2(-1e30, 1e30) : vec2(1e30, -1e30);
  precise float a = (low - from) / way, b = (high - from) / way;
  return vec2(min(a, b), max(a, b));
}

// t where a ray comes to a column of the ground, each a box from the floor to its height; else the end. The columns that it passes above
// are gone through one after another. Not where it starts in the ground.
float ground_on_ray(uint world, Ray ray, float near, float end) {
  SoilSite site = soil_site[0];
  float bottom = settings.domain.min.z, t = near, last_of_all = end;
  ivec2 at, way = ivec2(ray.way.x < 0.0 ? -1 : 1, ray.way.y < 0.0 ? -1 : 1);
  for (int a = 0; a < 2; ++a) {
    precise float upper = site.min[a] + float(site.count[a]) * site.edge[a];
    vec2 within = span_between(site.min[a], upper, ray.from[a], ray.way[a]);
    t = max(t, within.x);
    last_of_all = min(last_of_all, within.y);
  }
  if (!(t < last_of_all))
    return end;
  for (int a = 0; a < 2; ++a) {
    precise float place = (ray.from[a] + t * ray.way[a] - site.min[a]) / site.edge[a];
    at[a] = clamp(int(floor(place)), 0, int(site.count[a]) - 1);
  }
  for (uint passed = 0u; passed < site.count.x + site.count.y; ++passed) {
    precise vec2 leaves = vec2(1e30);
    for (int a = 0; a < 2; ++a)
      if (abs(ray.way[a]) >= 1e-12)
        leaves[a] = (site.min[a] + float(at[a] + (way[a] > 0 ? 1 : 0)) * site.edge[a] - ray.from[a]) / ray.way[a];
    float last = min(min(leaves.x, leaves.y), last_of_all);
    uint column = world * site.count.x * site.count.y + uint(at.y) * site.count.x + uint(at.x);
    vec2 within = span_between(bottom, soil_top(column), ray.from.z, ray.way.z);
    float first = max(t, within.x);
    if (first < min(last, within.y))
      return first > near ? first : end;
    int a = leaves.x <= leaves.y ? 0 : 1;
    at[a] += way[a];
    if (!(last < last_of_all) || at[a] < 0 || at[a] >= int(site.count[a]))
      return end;
    t = max(t, last);
  }
  return end;
}

void main() {
  DepthCamera camera = depth_cameras[args.first];
  uint k = element_index(), pixels = pixels_of(camera);
  if (k >= settings.worlds.count * pixels)
    return;
  uint world = k / pixels, pixel = k % pixels;
  vec2 at = image_place(camera, uvec2(pixel % camera.width, pixel / camera.width));
  Ray ray = ray_of(view_of(camera, world), camera.perspective != 0u, at);
  depth_bits[camera.first + k] = floatBitsToUint(ground_on_ray(world, ray, camera.near, uintBitsToFloat(depth_bits[camera.first + k])));
}
