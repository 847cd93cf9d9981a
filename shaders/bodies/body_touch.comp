#version 460
#extension GL_GOOGLE_include_directive : require
// Dynamic bodies against bodies and walls, by their points: springs and dampers as those of dem, once in a substep whatever the method.
// A point is a ball that touches the other's surface; both sides get the same impulse at the same place.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) readonly buffer PointBlock { BodyPoint body_points[]; };
layout(set = 0, binding = 4, scalar) buffer PointContactBlock { PointContact point_contacts[]; };
layout(set = 0, binding = 5, scalar) readonly buffer NearBlock { uint body_near[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/mobility.glsl"
#include "shared/body_load.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/point.h"
#include "shared/grid.h"

uint own, touched = 0u;
vec3 place;    // m, of the point, from the origin of its body
float radius;  // m
PointContact before[point_partners];

void count_point(uint body) { atomicAdd(body_sums[record_of(body_partner + body) + load_points], 1u); }

vec3 shear_before(uint partner) {
  uint listed = partner_in_world(partner, own / settings.bodies.count, 0u, settings.bodies.count, 0u);
  for (uint k = 0u; k < point_partners; ++k)
    if (before[k].partner == listed)
      return before[k].shear;
  return vec3(0.0);
}

// With a surface in a direction `normal` towards the point; offset: m, of the point from the other's origin.
void touch(uint partner, vec3 normal, float gap, vec3 offset) {
  bool solid = partner < wall_partner;
  uint other = body_of(partner);
  float h = args.h, way = radius + gap;
  vec3 here = place - way * normal, there = offset - way * normal;
  vec3 v = bodies[own].motion.velocity + cross(bodies[own].motion.spin, here);
  uint material = settings.contacts.materials;
  if (solid) {
    v -= bodies[other].motion.velocity + cross(bodies[other].motion.spin, there);
    material = bodies[other].material;
  }
  float approach = dot(v, normal), ahead = approach;
  if (!solid || bodies[other].split == 0.0)
    ahead += h * dot(settings.domain.gravity, normal);
  if (gap > touch_near * worlds[own / settings.bodies.count].radius - touch_substeps * h * min(approach, 0.0))
    return;
  count_point(own);
  if (solid && bodies[other].split > 0.0)
    count_point(other);
  vec2 ease = mobility(own, here, normal);
  if (solid)
    ease += mobility(other, there, normal);
  float speculative = point_brake(gap, ahead, worlds[own / settings.bodies.count].radius, h);
  if ((gap >= 0.0 && speculative <= 0.0) || !(ease.x > 0.0))
    return;
  if (touched == point_partners) {
    atomicAdd(body_sums[record_of(body_partner + own) + load_uncounted], 1u);
    return;
  }
  vec3 shear = shear_before(partner);
  vec3 impulse = point_impulse(gap, normal, v, speculative, ease, pair_laws[bodies[own].material * (settings.contacts.materials + 1u) + material], h, shear);
  add_load(body_partner + own, here, -impulse);
  if (solid)
    add_load(partner, there, impulse);
  point_contacts[point_partners * element_index() + touched] = PointContact(partner_in_world(partner, own / settings.bodies.count, 0u, settings.bodies.count, 0u), shear);
  ++touched;
}

void main() {
  uint k = element_index();
  if (k >= settings.bodies.points || status.halt != halt_none)
    return;
  BodyPoint point = body_points[k];
  own = point.body;
  radius = point.radius;
  place = rotated(bodies[own].motion.rotation, point.place);
  vec3 p = bodies[own].motion.position + place;
  for (uint n = 0u; n < point_partners; ++n)
    before[n] = point_contacts[point_partners * k + n];
  for (uint wall = 0u; wall < 6u; ++wall)
    if (settings.domain.axis[wall >> 1] == axis_wall)
      touch(wall_partner + wall, wall_normal(wall), wall_distance(p, wall) - radius, vec3(0.0));
  uint words = body_words(settings.bodies.count), first = own - own % settings.bodies.count;
  for (uint word = 0u; word < words; ++word)
    for (uint bits = body_near[own * words + word]; bits != 0u; bits &= bits - 1u) {
      uint other = first + 32u * word + uint(findLSB(bits));
      vec3 offset = shortest(p - bodies[other].motion.position);
      vec4 d = from_body(other, offset);
      touch(body_partner + other, d.xyz, d.w - radius, offset);
    }
  for (; touched < point_partners; ++touched)
    point_contacts[point_partners * k + touched] = PointContact(no_partner, vec3(0.0));
}
