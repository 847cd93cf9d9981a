// How fine grains move: with the coarse ones around them, out of crowds, and out of walls and bodies.
#include "engine/reference/near.h"
#include <utility>

namespace talus::reference {
namespace {

// Adds a coarse grain to the flow around a fine one. Is it one that has fine grains?
bool see(const AdvectingGrain& c, vec3 d, float q, vec3 velocity, Flow& flow) {
  add_to_flow(d, q, vec3(c.velocity) - velocity, flow);
  if (c.velocity.w > 0.0f)
    return true;
  if (const float gap = length_of(d) + c.velocity.w; gap < flow.gap) {
    flow.gap = gap;
    flow.ball = &c;
  }
  return false;
}

void leave_ball(FineGrain& grain, const Flow& flow, const Settings& settings) {
  if (!flow.ball)
    return;
  const vec3 d = shortest(grain.place - vec3(flow.ball->position), settings);
  const float length = glm::length(d), depth = grain.radius - flow.ball->velocity.w - length;
  if (depth > fine_touch * grain.radius)
    leave(grain, length > 0.0f ? d / length : vec3(0.0f, 0.0f, 1.0f), depth, vec3(flow.ball->velocity),
          settings.fine.friction);
}

bool leave_body(FineGrain& grain, uint b, const Fields& f) {
  const Body& body = f.bodies[b];
  const vec3 offset = shortest(grain.place - body.motion.position, f.settings[0]);
  const float reach = body.reach + grain.radius;
  if (body.parts == 0 || glm::dot(offset, offset) > reach * reach)
    return false;
  const Distance d = from_body(f, b, offset);
  const float depth = grain.radius - d.value;
  if (depth <= fine_touch * grain.radius)
    return false;
  leave(grain, d.gradient, depth, velocity_at(body.motion, offset - d.value * d.gradient), f.settings[0].fine.friction);
  return true;
}

bool leave_walls(FineGrain& grain, const Settings& settings) {
  bool touches = false;
  for (uint wall = 0; wall < 6; ++wall) {
    const float depth = grain.radius - wall_distance(grain.place, wall, settings);
    if (settings.domain.axis[static_cast<int>(wall / 2)] != axis_wall || depth <= fine_touch * grain.radius)
      continue;
    leave(grain, wall_normal(wall), depth, vec3(0.0f), settings.fine.friction);
    touches = true;
  }
  return touches;
}

// What is left of a fine grain's way.
struct Way {
  vec3 rest;   // m
  float time;  // s
};

// The share of it that a body leaves free. Where it comes to the surface: none, out of it and with the rest along it.
// Sets `near` where the body may be touched; of a short way at first just that, as it ends outside.
float free_of_body(FineGrain& grain, Way& way, uint b, bool first, const Fields& f, bool& near) {
  const Body& body = f.bodies[b];
  const BodyMotion& motion = body.motion;
  const vec3 from = shortest(grain.place - motion.position + way.time * motion.velocity, f.settings[0]);
  const float ahead = fine_away * glm::length(way.rest - way.time * velocity_at(motion, from));
  const float reach = body.reach + ahead + grain.radius;
  if (body.parts == 0 || glm::dot(from, from) > reach * reach)
    return 1.0f;
  if (first && ahead <= (1.0f - fine_slack) * grain.radius) {
    near = true;
    return 1.0f;
  }
  const vec3 offset = rotated(turn_by(way.time * motion.spin), from);  // once the body has taken it along
  const Distance d = from_body(f, b, offset);
  if (d.value > ahead + grain.radius)
    return 1.0f;
  near = true;
  const float room = d.value - fine_slack * grain.radius;
  if (room > fine_stop * grain.radius)
    return std::min(1.0f, room / ahead);
  const vec3 surface = velocity_at(motion, offset - d.value * d.gradient);
  leave(grain, d.gradient, grain.radius - d.value, surface, f.settings[0].fine.friction);
  way.rest -= std::min(0.0f, glm::dot(way.rest - way.time * surface, d.gradient)) * d.gradient;
  return 0.0f;
}

// Likewise of a wall.
float free_of_wall(FineGrain& grain, Way& way, uint wall, const Settings& settings) {
  const vec3 n = wall_normal(wall);
  const float ahead = -glm::dot(way.rest, n), d = wall_distance(grain.place, wall, settings);
  const float room = d - fine_slack * grain.radius;
  if (settings.domain.axis[static_cast<int>(wall / 2)] != axis_wall || room >= ahead)
    return 1.0f;
  if (room > fine_stop * grain.radius)
    return room / ahead;
  leave(grain, n, grain.radius - d, vec3(0.0f), settings.fine.friction);
  way.rest += std::max(ahead, 0.0f) * n;
  return 0.0f;
}

// The way that has brought the grain from `from` to where it is in `time` [s], past bodies that have moved meanwhile:
// it goes through none of them, however thin, but along its surface. May the grain touch bodies where it ends?
bool trace(FineGrain& grain, vec3 from, float time, const Fields& f) {
  Way way{grain.place - from, time};
  const vec3 end = std::exchange(grain.place, from);
  bool near = false;
  float share = 0.0f;
  for (uint k = 0; k < fine_stops && share < 1.0f; ++k) {
    share = 1.0f;
    for (uint b = 0; b < f.settings[0].bodies.count; ++b)
      share = std::min(share, free_of_body(grain, way, b, k == 0, f, near));
    for (uint wall = 0; near && wall < 6; ++wall)
      share = std::min(share, free_of_wall(grain, way, wall, f.settings[0]));
    grain.place = k == 0 && share == 1.0f ? end : grain.place + share * way.rest;
    way.rest *= 1.0f - share;
    way.time *= 1.0f - share;
  }
  return near;
}

// s, since fine grains have gone on: from their last move, `moved` ago, or from the end of the last step.
float time_since(float moved, const Args& args) {
  return std::min(moved, args.h * static_cast<float>(args.substep));
}

// Bodies that are further away than this [m] do not matter to how a fine grain makes room.
float body_sight(const Fields& f) {
  return f.settings[0].fine.sight + 2.0f * f.status[0].fine.body_way_before;
}

// Is the fine grain carried and without velocity, and can no body that moves reach it? clear [m] is what clear_before()
// returns.
bool may_rest(const Fields& f, const Grain& grain, float clear) {
  const float way = f.status[0].fine.body_way_before;
  return grain.velocity == vec4(0.0f) && (f.settings[0].bodies.count == 0 || way == 0.0f ||
                                          clear > std::max(body_sight(f), fine_sure * (way + grain.position.w)));
}

}  // namespace

float clear_before(const Fields& f, uint i) {
  return f.fine_clear[i] - fine_away * f.status[0].fine.body_way_before;
}

void leave_solids(FineGrain& grain, vec3 from, float time, const Fields& f, float& clear) {
  const Settings& settings = f.settings[0];
  const float ways = glm::distance(grain.place, from) + f.status[0].fine.body_way_before;
  const bool bodies =
      settings.bodies.count > 0 && clear <= fine_sure * (ways + grain.radius) && trace(grain, from, time, f);
  bool touches = true;
  for (uint k = 0; k < fine_rounds && touches; ++k) {
    touches = false;
    for (uint b = 0; bodies && b < settings.bodies.count; ++b)
      touches |= leave_body(grain, b, f);
    touches |= leave_walls(grain, settings);
  }
  clear -= fine_away * glm::distance(grain.place, from);
}

// Back into the domain along periodic axes.
vec3 into_periods(vec3 p, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      p[a] = into_period(p[a], settings.domain.min[a], settings.domain.max[a]);
  return p;
}

Flow flow_around(Near& near, vec3 p, vec3 velocity) {
  Flow flow{};
  bool granular = false;
  near.each(p, [&](const AdvectingGrain& c, vec3 d, float q) { granular |= see(c, d, q, velocity, flow); });
  if (!granular) {
    flow.sum = flow.most = 0.0f;
    flow.way = vec3(0.0f);
  }
  return flow;
}

void fine_move(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const float h = f.status[0].fine.h, since = time_since(h, args);
  const bool plain = settings.fine.plain_advection != 0;
  Near near(f);
  for (uint i = begin; i < end; ++i) {
    const Grain grain = f.fine_grains[i];
    if (is_gone(grain))
      continue;
    const vec3 from(grain.position), velocity(grain.velocity);
    const uint motion = motion_near(f, from);
    float clear = clear_before(f, i);
    if (motion == near_still && (i / group_size + f.status[0].fine.moves) % fine_look != 0 &&
        may_rest(f, grain, clear)) {
      f.fine_clear[i] = clear;
      continue;
    }
    const Flow flow = flow_around(near, from, velocity);
    const float loose = looseness(flow, plain);
    const vec3 mean = flow.sum == 0.0f ? velocity : motion == near_still ? vec3(0.0f) : velocity + flow.way / flow.sum;
    const vec3 own = velocity + h * settings.domain.gravity, next = (1.0f - loose) * mean + loose * own;
    const bool looks = settings.bodies.count > 0 && clear <= body_sight(f);
    const Distance body = looks ? nearest_body(f, from, since, clear) : Distance{vec3(0.0f), 3.4e38f};
    const vec3 give = plain || motion != near_stirs || !(flow.sum > fine_dense)
                          ? vec3(0.0f)
                          : room(f, grain.position, aim_of(flow, settings.near_grid.radius, settings.density_grid.sum),
                                 h * std::max(0.0f, stir_of(flow) - density_still), body);
    FineGrain g{from + (since * next + give), next, grain.position.w, loose};
    leave_ball(g, flow, settings);
    leave_solids(g, from, since, f, clear);
    f.fine_clear[i] = clear;
    f.fine_grains[i] = {vec4(into_periods(g.place, settings), g.radius), vec4(g.velocity, loose)};
  }
}

void fine_coast(const Args& args, Fields& f, uint begin, uint end) {
  const float since = time_since(f.status[0].fine.time, args);
  for (uint i = begin; i < end; ++i) {
    const Grain grain = f.fine_grains[i];
    if (is_gone(grain))
      continue;
    const vec3 from(grain.position), velocity(grain.velocity);
    float clear = clear_before(f, i);
    if (may_rest(f, grain, clear)) {
      f.fine_clear[i] = clear;
      continue;
    }
    FineGrain g{from + since * velocity, velocity, grain.position.w, grain.velocity.w};
    leave_solids(g, from, since, f, clear);
    f.fine_clear[i] = clear;
    f.fine_grains[i] = {vec4(into_periods(g.place, f.settings[0]), g.radius), vec4(g.velocity, g.loose)};
  }
}

}  // namespace talus::reference
