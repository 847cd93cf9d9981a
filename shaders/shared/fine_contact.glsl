// Fine grains touch walls and bodies. Needs settings, status and fine_clear in scope, and space.glsl and solid.glsl before it.
#include "shared/fine.h"
#include "shared/rotation.glsl"

#include "shared/laws/fine.h"

bool leave_body(inout FineGrain g, uint body) {
  vec3 offset = shortest(g.place - bodies[body].motion.position);
  float reach = bodies[body].reach + g.radius;
  if (bodies[body].parts == 0u || dot(offset, offset) > reach * reach)
    return false;
  vec4 d = from_body(body, offset);
  float depth = g.radius - d.w;
  if (depth <= fine_touch * g.radius)
    return false;
  leave(g, d.xyz, depth, bodies[body].motion.velocity + cross(bodies[body].motion.spin, offset - d.w * d.xyz), settings.fine.friction);
  return true;
}

bool leave_walls(inout FineGrain g) {
  bool touches = false;
  for (uint wall = 0u; wall < 6u; ++wall) {
    float depth = g.radius - wall_distance(g.place, wall);
    if (settings.domain.axis[wall >> 1] == axis_wall && depth > fine_touch * g.radius) {
      leave(g, wall_normal(wall), depth, vec3(0.0), settings.fine.friction);
      touches = true;
    }
  }
  return touches;
}

// What is left of a fine grain's way.
struct Way {
  vec3 rest;   // m
  float time;  // s
};

// The share of it that a body leaves free. Where it comes to the surface: none, out of it and with the rest along it. Sets `near`
// where the body may be touched; of a short way at first just that, as it ends outside.
float free_of_body(inout FineGrain g, inout Way way, uint body, bool first, inout bool near) {
  BodyMotion motion = bodies[body].motion;
  vec3 from = shortest(g.place - motion.position + way.time * motion.velocity);
  float ahead = fine_away * length(way.rest - way.time * (motion.velocity + cross(motion.spin, from)));
  float reach = bodies[body].reach + ahead + g.radius;
  if (bodies[body].parts == 0u || dot(from, from) > reach * reach)
    return 1.0;
  if (first && ahead <= (1.0 - fine_slack) * g.radius) {
    near = true;
    return 1.0;
  }
  vec3 offset = rotated(turn_by(way.time * motion.spin), from);  // once the body has taken it along
  vec4 d = from_body(body, offset);
  if (d.w > ahead + g.radius)
    return 1.0;
  near = true;
  float room = d.w - fine_slack * g.radius;
  if (room > fine_stop * g.radius)
    return min(1.0, room / ahead);
  vec3 surface = motion.velocity + cross(motion.spin, offset - d.w * d.xyz);
  leave(g, d.xyz, g.radius - d.w, surface, settings.fine.friction);
  way.rest -= min(0.0, dot(way.rest - way.time * surface, d.xyz)) * d.xyz;
  return 0.0;
}

// Likewise of a wall.
float free_of_wall(inout FineGrain g, inout Way way, uint wall) {
  vec3 n = wall_normal(wall);
  float ahead = -dot(way.rest, n), d = wall_distance(g.place, wall), room = d - fine_slack * g.radius;
  if (settings.domain.axis[wall >> 1] != axis_wall || room >= ahead)
    return 1.0;
  if (room > fine_stop * g.radius)
    return room / ahead;
  leave(g, n, g.radius - d, vec3(0.0), settings.fine.friction);
  way.rest += max(ahead, 0.0) * n;
  return 0.0;
}

// The way that has brought the grain from `from` to where it is in `time` [s], past bodies that have moved meanwhile: it goes through
// none of them, however thin, but along its surface. May the grain touch bodies where it ends?
bool trace(inout FineGrain g, vec3 from, float time) {
  Way way = Way(g.place - from, time);
  vec3 end = g.place;
  g.place = from;
  bool near = false;
  float share = 0.0;
  for (uint k = 0u; k < fine_stops && share < 1.0; ++k) {
    share = 1.0;
    for (uint body = 0u; body < settings.bodies.count; ++body)
      share = min(share, free_of_body(g, way, body, k == 0u, near));
    for (uint wall = 0u; near && wall < 6u; ++wall)
      share = min(share, free_of_wall(g, way, wall));
    g.place = k == 0u && share == 1.0 ? end : g.place + share * way.rest;
    way.rest *= 1.0 - share;
    way.time *= 1.0 - share;
  }
  return near;
}

// How far a fine grain is at least from all bodies, as they are now, where it was when it last went on [m].
float clear_before(uint i) {
  precise float clear = fine_clear[i] - fine_away * status.fine.body_way_before;
  return clear;
}

// Bodies that are further away than this [m] do not matter to how a fine grain makes room.
float body_sight() {
  precise float sight = settings.fine.sight + 2.0 * status.fine.body_way_before;
  return sight;
}

// Is the fine grain carried and without velocity, and can no body that moves reach it? clear [m] is what clear_before() returns.
bool may_rest(Grain grain, float clear) {
  float way = status.fine.body_way_before;
  precise float meets = fine_sure * (way + grain.position.w);
  return grain.velocity == vec4(0.0) && (settings.bodies.count == 0u || way == 0.0 || clear > max(body_sight(), meets));
}

// Past walls and bodies on its way from `from` in `time` [s], and out of them where it ends. clear: as clear_before, then where it ends.
void leave_solids(inout FineGrain g, vec3 from, float time, inout float clear) {
  float ways = length(g.place - from) + status.fine.body_way_before;
  bool near_bodies = solid_kinds != 0u && clear <= fine_sure * (ways + g.radius) && trace(g, from, time);
  bool touches = true;
  for (uint k = 0u; k < fine_rounds && touches; ++k) {
    touches = false;
    if (near_bodies)
      for (uint body = 0u; body < settings.bodies.count; ++body)
        touches = leave_body(g, body) || touches;
    touches = leave_walls(g) || touches;
  }
  clear -= fine_away * length(g.place - from);
}

// s, since fine grains have gone on: from their last move, `moved` ago, or from the end of the last step.
float time_since(float moved) { return min(moved, args.h * float(args.substep)); }

#include "shared/laws/around.h"

// Back into the domain along periodic axes.
vec3 into_periods(vec3 p) {
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      p[a] = into_period(p[a], settings.domain.min[a], settings.domain.max[a]);
  return p;
}
