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

void main() {
  uint body = element_index();
  uint world = body / max(settings.bodies.count, 1u);
  if (body >= settings.worlds.count * settings.bodies.count || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return;
  RigidState s = rigid_states[body];
  BodyMotion m = bodies[body].motion;
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
  s.motion = m;
  s.push.impulse += s.impulse;
  s.push.moment += s.moment - cross(pivot, s.impulse);
  s.step_impulse += s.impulse;
  s.step_moment += s.moment;
  s.impulse = s.moment = vec3(0.0);
  rigid_states[body] = s;
}
