#version 460
#extension GL_GOOGLE_include_directive : require
// What an impulse along each row of a linkage does to all of them, decomposed: rows that hold exactly as L D L^T with D in the diagonal,
// and what these leave of those along the axes. A workgroup per linkage.
#include "shared/linkage.glsl"

layout(set = 0, binding = 10, scalar) buffer RigidStateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
#include "shared/space.glsl"
#include "shared/rest.h"

shared uint kinds, touched;  // of its bodies: a bit for each kind of rest that there is; whether something touches one of them

// A body that a joint moves: its child (bit 0) or its parent (bit 1).
bool moves_body(uint k, uint bit, out uint body) {
  body = body_in_world(bit == 1u ? JOINT(k).child : JOINT(k).parent);
  return (JOINT(k).moves & bit) != 0u;
}

// Its bodies fall asleep together, where all are ready and something touches one of them, and wake together.
void rest() {
  uint lane = gl_LocalInvocationID.x, body;
  if (lane == 0u)
    kinds = touched = 0u;
  barrier();
  for (uint k = lane; k < linkage.joints; k += group_size)
    for (uint bit = 1u; bit <= 2u; ++bit)
      if (moves_body(k, bit, body)) {
        atomicOr(kinds, 1u << rest_kind(rigid_states[body].rest.state));
        atomicOr(touched, rigid_states[body].rest.touched);
      }
  barrier();
  bool fall = kinds == 1u << rest_ready && touched != 0u, wake = (kinds & 1u << rest_asleep) != 0u && kinds != 1u << rest_asleep;
  for (uint k = lane; k < linkage.joints; k += group_size)
    for (uint bit = 1u; bit <= 2u; ++bit)
      if (moves_body(k, bit, body)) {
        if (fall)
          rigid_states[body].rest.state = rest_asleep | rest_falling;
        else if (wake && rest_kind(rigid_states[body].rest.state) == rest_asleep)
          rigid_states[body].rest.state = rest_state(rest_awake, worlds[world].clock);
      }
}

LinkPlace place_of(LinkJoint joint) {
  uint child = body_in_world(joint.child);
  vec3 between = bodies[child].motion.position - joint.place, rest = rigid_states[child].position_rest, pivot = vec3(0.0);
  vec4 rotation = vec4(0.0, 0.0, 0.0, 1.0);
  if (joint.parent != no_body) {
    uint parent = body_in_world(joint.parent);
    between = bodies[child].motion.position - bodies[parent].motion.position;
    rotation = bodies[parent].motion.rotation;
    if (rigid[parent].mass > 0.0) {
      rest -= rigid_states[parent].position_rest;
      pivot = bodies[parent].pivot;
    }
  }
  return link_place(joint, rotation, pivot, bodies[child].motion.rotation, bodies[child].pivot, shortest(between) + rest);
}

LinkRow made_row(uint i) {
  LinkJoint joint = JOINT(PLACE(i).joint);
  LinkPlace p = place_of(joint);
  LinkRow row;
  if (PLACE(i).part == joint_part_armature) {
    row = axis_row(joint.kind, 0u, p, joint.along, args.h);
    row.bias = -STATE(PLACE(i).joint).speed;
  } else if (PLACE(i).part == joint_part_gear) {
    row = axis_row(joint.kind, 0u, p, joint.along, args.h);
    row.bias = min(joint_return / args.h, gear_return) * (STATE(PLACE(i).joint).value - joint.multiplier * STATE(joint.leader).value - joint.offset);
  } else if (i < linkage.equalities)
    row = held_row(joint.kind, PLACE(i).part, p, args.h);
  else
    row = axis_row(joint.kind, PLACE(i).part, p, joint.along, args.h);
  uint child = body_in_world(joint.child);
  row.ease = vec2(0.0, 1.0 / rigid[child].mass);
  row.answer_child = bodies[child].inverse_inertia * row.turn_child;
  row.answer_parent = vec3(0.0);
  if (joint.parent != no_body && rigid[body_in_world(joint.parent)].mass > 0.0) {
    row.ease.x = 1.0 / rigid[body_in_world(joint.parent)].mass;
    row.answer_parent = bodies[body_in_world(joint.parent)].inverse_inertia * row.turn_parent;
  }
  row.own = row.impulse = 0.0;
  return row;
}

float coupling(uint i, uint j) {
  precise float sum = 0.0;
  for (uint s = 0u; s < terms(i); ++s)
    for (uint t = 0u; t < terms(j); ++t) {
      Term a = term(i, s), b = term(j, t);
      uint k = linkage.first_joint + a.joint, l = linkage.first_joint + b.joint;
      sum += a.factor * b.factor *
             link_coupling(ROW(a.row), link_joints[k].parent, link_joints[k].child, ROW(b.row), link_joints[l].parent, link_joints[l].child);
    }
  return sum;
}

// Inverse mass along row i [1/kg or 1/(kg m2)]; the inertia of a rotor leaves 1 / (1/own + armature) of it.
float own_of(uint i, float own) {
  if (i < linkage.equalities)
    return own;
  precise float eased = own / (1.0 + JOINT(PLACE(i).joint).armature * own);
  return eased;
}

// The diagonal of a row that holds, with its compliance.
float yielding_of(uint i) {
  precise float yielding = (1.0 + joint_yield) * ROW(i).own;
  if (PLACE(i).part == joint_part_armature)
    yielding = ROW(i).own + 1.0 / JOINT(PLACE(i).joint).armature;
  return yielding;
}

// Over the columns before `end` that rows i and k have in common, of L D L^T.
float inner(uint i, uint k, uint end) {
  precise float sum = 0.0;
  for (uint j = max(PLACE(i).first, PLACE(k).first); j < end; ++j)
    sum += AT(i, j) * (AT(j, j) * AT(k, j));
  return sum;
}

void main() {
  if (!begin_linkage())
    return;
  uint lane = gl_LocalInvocationID.x;
  if (sleeping != 0u)
    rest();
  for (uint k = lane; k < linkage.joints; k += group_size) {
    STATE(k).value = link_value(JOINT(k).kind, place_of(JOINT(k)), STATE(k).value);
    if (args.substep == 0u)
      STATE(k).before = LinkLoad(vec3(0.0), vec3(0.0), 0.0);
    else
      STATE(k).before = STATE(k).load;
  }
  wait_for_all();  // gears read the values of two joints
  for (uint i = lane; i < linkage.rows; i += group_size)
    ROW(i) = made_row(i);
  wait_for_all();
  for (uint i = lane; i < linkage.rows; i += group_size) {
    for (uint j = PLACE(i).first; j <= i; ++j)
      AT(i, j) = coupling(i, j);
    ROW(i).own = own_of(i, AT(i, i));
  }
  wait_for_all();
  for (uint j = 0u; j < linkage.equalities; ++j) {
    precise float d = max(yielding_of(j) - inner(j, j, j), 0.5 * joint_yield * ROW(j).own);
    if (lane == 0u)
      AT(j, j) = d;
    for (uint i = j + 1u + lane; i < linkage.rows; i += group_size)
      if (PLACE(i).first <= j) {
        precise float left = AT(i, j) - inner(i, j, j);
        AT(i, j) = left / d;
      }
    wait_for_all();
  }
  for (uint i = linkage.equalities + lane; i < linkage.rows; i += group_size)
    for (uint k = linkage.equalities; k <= i; ++k) {
      precise float left = AT(i, k) - inner(i, k, linkage.equalities);
      AT(i, k) = left;
    }
}
