#version 460
#extension GL_GOOGLE_include_directive : require
// Dynamic bodies to where they are at the end of the substep.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"
#include "shared/laws/joint.h"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 4, scalar) buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CommandBlock { RigidCommand rigid_commands[]; };
#include "shared/rest.h"
#include "shared/laws/rest.h"

uint body, world;

// From where the substep began to where it ends.
void move(inout BodyMotion m, inout RigidState s) {
  vec3 axis = rigid[body].axis, anchor = rigid[body].anchor, pivot = bodies[body].pivot, velocity = m.velocity + cross(m.spin, pivot);
  switch (rigid[body].joint) {
  case joint_revolute:
    s.value += args.h * dot(axis, m.spin);
    m.rotation = then_turned(rigid[body].rotation, turn_by(s.value * axis));
    m.position = anchor - matrix_of(m.rotation) * rigid[body].pivot;
    m.velocity = cross(m.spin, m.position - anchor);
    break;
  case joint_prismatic:
    s.value += args.h * dot(axis, velocity);
    m.position = rigid[body].position + s.value * axis;
    break;
  case joint_ball:
    turn_freely(rigid[body], args.h, m.rotation, m.spin);
    m.position = anchor - matrix_of(m.rotation) * rigid[body].pivot;
    m.velocity = cross(m.spin, m.position - anchor);
    break;
  default: {
    turn_freely(rigid[body], args.h, m.rotation, m.spin);
    vec3 turned = matrix_of(m.rotation) * rigid[body].pivot;
    precise vec3 way = args.h * velocity + (pivot - turned) + s.position_rest, there = m.position + way;
    precise vec3 rest = way - (there - m.position);  // constant ways are rounded the same way every time: that would add up
    m.position = there;
    s.position_rest = rest;
    m.velocity = velocity - cross(m.spin, turned);
  }
  }
}

// Is its motor told to move it?
bool is_driven() { return rigid_commands[body].motor_speed != 0.0; }

// Does the body sleep, and goes on doing so? m: how contacts, gravity, commands and joints would move it in this substep; of one that wakes, how
// it moves.
bool sleeps_on(inout BodyMotion m, inout BodyRest rest) {
  if (sleeping == 0u || rest_kind(rest.state) != rest_asleep)
    return false;
  if ((rest.state & rest_falling) != 0u) {
    rest.state = rest_asleep;
    rest.push = rest.turn = vec3(0.0);
    return true;
  }
  vec3 pivot = bodies[body].pivot, change = m.velocity + cross(m.spin, pivot);
  rest.push = pending_after(rest.push, change, settings.sleep.leak);
  rest.turn = pending_after(rest.turn, m.spin, settings.sleep.leak);
  float most = body_waking_share * settings.sleep.wake;
  if (!is_driven() && is_still(rest.push, most, bodies[body].reach * rest.turn, most))
    return true;
  m.spin = waking_with(rest.turn, m.spin);
  m.velocity = waking_with(rest.push, change) - cross(m.spin, pivot);
  rest.place = m.position;
  rest.rotation = m.rotation;
  rest.state = rest_state(rest_awake, worlds[world].clock);
  return false;
}

// Once in a window: a body that something touches and that has been still for two windows falls asleep, by the limits of calm worlds.
void look(inout BodyMotion m, inout BodyRest rest) {
  uint now = worlds[world].clock, since = rest_since(rest.state, now);
  if (2u * since < settings.sleep.window)
    return;
  float reach = bodies[body].reach, way_most = calm_share * (settings.sleep.way * float(min(since, settings.sleep.window))),
        spin_most = calm_share * settings.sleep.spin;
  bool still = is_still(m.position - rest.place, way_most, reach * m.spin, spin_most) &&
               squared(reach * turned_between(rest.rotation, m.rotation)) <= way_most * way_most && !is_driven();
  bool ready = still && rest_kind(rest.state) != rest_awake;
  rest.place = m.position;
  rest.rotation = m.rotation;
  rest.state = rest_state(ready ? rest_ready : still ? rest_still : rest_awake, now);
  rest.split = bodies[body].split;
  if (ready && rest.touched != 0u && rigid[body].linked == 0u) {
    m.velocity = m.spin = rest.push = rest.turn = vec3(0.0);
    rest.state = rest_asleep;
  }
}

void main() {
  body = element_index();
  world = body / max(settings.bodies.count, 1u);
  if (body >= settings.worlds.count * settings.bodies.count || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return;
  RigidState s = rigid_states[body];
  BodyMotion m = bodies[body].motion;
  vec3 pivot = bodies[body].pivot;
  if (sleeps_on(m, s.rest))
    m.velocity = m.spin = vec3(0.0);
  else
    move(m, s);
  precise float fastest = length(m.velocity) + length(m.spin) * bodies[body].reach, speed2 = fastest * fastest;
  precise float sum = speed2 + abs(m.position.x) + abs(m.position.y) + abs(m.position.z);
  if ((floatBitsToUint(sum) & 0x7F800000u) == 0x7F800000u) {  // as in shared/finish.glsl
    atomicMax(status.halt, halt_invalid);
    atomicMin(worlds[world].invalid, body_partner + body - world * settings.bodies.count);
    return;
  }
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic && rigid[body].joint == joint_free) {
      float edge = settings.domain.max[a] - settings.domain.min[a];
      m.position[a] -= edge * floor((m.position[a] - settings.domain.min[a]) / edge);
    }
  atomicMax(worlds[world].motion.speed2_bits, floatBitsToUint(speed2));
  if (sleeping != 0u && worlds[world].clock % settings.sleep.window == 0u && rest_kind(s.rest.state) != rest_asleep)
    look(m, s.rest);
  s.motion = m;
  s.push.impulse += s.impulse;
  s.push.moment += s.moment - cross(pivot, s.impulse);
  s.step_impulse += s.impulse;
  s.step_moment += s.moment;
  s.impulse = s.moment = vec3(0.0);
  rigid_states[body] = s;
}
