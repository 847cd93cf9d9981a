#version 460
#extension GL_GOOGLE_include_directive : require
// Bodies that feel the ground by its surface, as terramechanics describes it (shared/laws/ground.h), where no grains lie on it. A sample of
// the surface belongs to the deepest of the bodies over it. The thread of the first body near it does the work, so that two bodies do not
// write the same sample. A sample that no body presses forgets its shear.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 3, scalar) readonly buffer SiteBlock { SoilSite soil_site[]; };
layout(set = 0, binding = 4, scalar) readonly buffer ColumnBlock { SoilColumn soil_columns[]; };
layout(set = 0, binding = 5, scalar) readonly buffer QuantumBlock { float soil_quantum[]; };
layout(set = 0, binding = 6, scalar) readonly buffer BareBlock { uint ground_bare[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PressingBlock { uint ground_bodies[]; };
layout(set = 0, binding = 8, scalar) buffer SampleBlock { GroundSample ground_samples[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/body_load.glsl"
#include "shared/laws/ground.h"
#include "shared/soil_top.glsl"

// A number of columns or samples along an axis, brought to 0 .. count - 1 across periodic ends. The remainder of a negative number is
// undefined on devices.
int wrapped(int at, int count) {
  int home = at - count * int(floor(float(at) / float(count)));
  return home < 0 ? home + count : home >= count ? home - count : home;
}

// m, z of the surface: linear between the middles of columns.
float surface_at(uint world, SoilSite site, vec2 place) {
  precise vec2 at = (place - site.min) / site.edge - 0.5;
  ivec2 low = ivec2(floor(at));
  precise vec2 t = at - vec2(low);
  float tops[4];
  for (int c = 0; c < 4; ++c) {
    ivec2 there = low + ivec2(c & 1, c >> 1);
    for (int a = 0; a < 2; ++a) {
      int count = int(site.count[a]);
      there[a] = settings.domain.axis[a] == axis_periodic ? wrapped(there[a], count) : clamp(there[a], 0, count - 1);
    }
    tops[c] = soil_top((world * site.count.y + uint(there.y)) * site.count.x + uint(there.x));
  }
  precise float front = tops[0] + t.x * (tops[1] - tops[0]), back = tops[2] + t.x * (tops[3] - tops[2]), z = front + t.y * (back - front);
  return z;
}

// m, from the middle of a body to a place, level.
vec2 from_middle(uint body, vec2 place) { return shortest(vec3(place - bodies[body].motion.position.xy, 0.0)).xy; }
bool is_near(uint body, vec2 place) {
  vec2 way = from_middle(body, place);
  precise float apart2 = way.x * way.x + way.y * way.y;
  return apart2 < bodies[body].reach * bodies[body].reach;
}

// The lowest point over a place of a body that reaches below `top` [m] there, from the body's origin; z is 1e30 where it does not. Down from
// `top` into the body, and out of it along the vertical by its distance and direction.
vec3 lowest_point(uint body, vec2 place, float top, float pitch) {
  vec2 way = from_middle(body, place);
  float reach = bodies[body].reach;
  precise float half_chord = sqrt(max(reach * reach - (way.x * way.x + way.y * way.y), 0.0));
  float z = min(top - bodies[body].motion.position.z, half_chord);
  bool inside = false;
  for (uint n = 0u; n < ground_ways && z > -half_chord; ++n) {
    vec4 d = from_body(body, vec3(way, z));
    inside = inside || d.w < 0.0;
    if (inside && abs(d.w) < ground_near * pitch)
      return vec3(way, z);
    z = inside ? max(z + d.w / max(-d.z, ground_steepest), (ground_near - 1.0) * half_chord) : z - max(d.w, ground_near * pitch);
  }
  return vec3(way, 1e30);
}

void main() {
  SoilSite site = soil_site[0];
  uint places = site.span * site.span, k = element_index();
  if (k >= settings.worlds.count * site.bodies * places || status.halt != halt_none)
    return;
  uint own = k / places, world = own / site.bodies, first = world * settings.bodies.count, of_world = world * site.bodies;
  vec2 pitch = site.edge / vec2(site.samples), middle = bodies[first + ground_bodies[own - of_world]].motion.position.xy;
  float reach = bodies[first + ground_bodies[own - of_world]].reach;
  uvec2 along = site.count * site.samples, here = uvec2(k % places % site.span, k % places / site.span);
  ivec2 at;
  for (int a = 0; a < 2; ++a) {
    int count = int(along[a]);
    at[a] = int(floor(clamp((middle[a] - reach - site.min[a]) / pitch[a], -1e6, 1e6))) + int(here[a]);
    if (settings.domain.axis[a] == axis_periodic ? here[a] >= along[a] : (at[a] < 0 || at[a] >= count))
      return;
    at[a] = wrapped(at[a], count);
  }
  precise vec2 place = site.min + (vec2(at) + 0.5) * pitch;
  if (!is_near(first + ground_bodies[own - of_world], place))
    return;
  for (uint other = of_world; other < own; ++other)
    if (is_near(first + ground_bodies[other - of_world], place))
      return;
  uvec2 column = uvec2(at) / site.samples;
  uint number = (world * along.y + uint(at.y)) * along.x + uint(at.x);
  GroundSample ground = ground_samples[number];
  float top = ground_bare[(world * site.count.y + column.y) * site.count.x + column.x] != 0u ? surface_at(world, site, place) : -1e30;
  uint presses = settings.worlds.count * settings.bodies.count;  // none
  vec3 point = vec3(0.0);
  float lowest = top;
  for (uint other = own; other < of_world + site.bodies; ++other) {
    uint body = first + ground_bodies[other - of_world];
    if (!is_near(body, place))
      continue;
    vec3 there = lowest_point(body, place, lowest, min(pitch.x, pitch.y));
    float z = bodies[body].motion.position.z + there.z;
    if (z < lowest) {
      lowest = z;
      presses = body;
      point = there;
    }
  }
  if (presses == settings.worlds.count * settings.bodies.count) {
    if (ground.mobilized != 0.0)
      ground_samples[number] = GroundSample(vec3(0.0), 0.0, ground.sunk, ground.dug);
    return;
  }
  vec3 normal = from_body(presses, point - vec3(0.0, 0.0, ground_below * min(pitch.x, pitch.y))).xyz, v = bodies[presses].motion.velocity + cross(bodies[presses].motion.spin, point);
  float area = pitch.x * pitch.y / max(-normal.z, ground_steepest);
  float gravity = length(settings.domain.gravity), pressure = ground_pressure(site.law, top - lowest, -v.z, gravity, args.h, ground.sunk, ground.dug);
  vec3 slip = args.h * (v - dot(v, normal) * normal);
  vec3 stress = ground_shear(site.law, pressure, slip, normal, gravity, args.h, ground.sunk, ground.shear, ground.mobilized, ground.dug) - pressure * normal;
  ground_samples[number] = ground;
  add_to_record(record_of(body_partner + presses), point, args.h * area * stress, vec3(0.0));
}
