#version 460
#extension GL_GOOGLE_include_directive : require
// The impulses of all joints of a linkage at once, and the motion of its bodies with them. A workgroup per linkage.
#include "shared/linkage.glsl"
#include "shared/laws/joint.h"

layout(set = 0, binding = 10, scalar) readonly buffer CommandBlock { RigidCommand rigid_commands[]; };

shared float x[linkage_rows_most];  // velocities, and of rows that hold what is to be made up for; then impulses
shared float impulses[linkage_rows_most];  // of the rows along axes

vec3 velocity_at_center(uint body) { return bodies[body].motion.velocity + cross(bodies[body].motion.spin, bodies[body].pivot); }

float velocity_of(uint i) {
  precise float sum = 0.0;
  for (uint t = 0u; t < terms(i); ++t) {
    Term a = term(i, t);
    uint child = body_in_world(JOINT(a.joint).child);
    vec3 velocity = vec3(0.0), spin = vec3(0.0);
    if (JOINT(a.joint).parent != no_body) {
      uint parent = body_in_world(JOINT(a.joint).parent);
      velocity = velocity_at_center(parent);
      spin = bodies[parent].motion.spin;
    }
    sum += a.factor * link_velocity(ROW(a.row), velocity, spin, velocity_at_center(child), bodies[child].motion.spin);
  }
  return sum;
}

bool locked(uint i) { return AT(i, i) <= joint_locked * ROW(i).own; }

// An impulse along row i, of those along axes.
void push(uint i, float impulse) {
  impulses[i] += impulse;
  for (uint k = linkage.equalities; k < linkage.rows; ++k) {
    precise float speed = x[k] + AT(max(i, k), min(i, k)) * impulse;
    x[k] = speed;
  }
}

// Along an axis; returns by how much the speed changes.
float drive_axis(uint k) {
  uint i = JOINT(k).axis_row;
  if (locked(i))
    return 0.0;
  precise float w = AT(i, i), alone = x[i] - w * impulses[i];
  float speed = speed_by_axis(alone, w, STATE(k).value, JOINT(k).along, rigid_commands[body_in_world(JOINT(k).child)], args.h);
  float before = x[i];
  precise float impulse = (speed - alone) / w - impulses[i];
  push(i, impulse);
  return abs(x[i] - before);
}

float hold_ball(uint k) {
  uint first = JOINT(k).axis_row, lean = first + 3u;
  float most = args.h * JOINT(k).along.friction, change = 0.0;
  if (most > 0.0) {
    vec3 before = vec3(x[first], x[first + 1u], x[first + 2u]);
    for (uint i = first; i < lean; ++i)
      if (!locked(i))
        push(i, -x[i] / AT(i, i));
    precise float size = length(vec3(impulses[first], impulses[first + 1u], impulses[first + 2u]));
    if (size > most)
      for (uint i = first; i < lean; ++i)
        push(i, (most / size - 1.0) * impulses[i]);
    change = length(vec3(x[first], x[first + 1u], x[first + 2u]) - before);
  }
  if (!locked(lean)) {
    precise float w = AT(lean, lean), alone = x[lean] - w * impulses[lean];
    precise float impulse = (min(alone, ROW(lean).bias) - alone) / w - impulses[lean];
    float before = x[lean];
    push(lean, impulse);
    change = max(change, abs(x[lean] - before));
  }
  return change;
}

// One after another, in sweeps.
void drive_axes() {
  float fastest = 0.0;
  for (uint i = linkage.equalities; i < linkage.rows; ++i) {
    fastest = max(fastest, abs(x[i]));
    impulses[i] = 0.0;
  }
  for (uint sweep = 0u; sweep < joint_sweeps; ++sweep) {
    float change = 0.0;
    for (uint k = 0u; k < linkage.joints; ++k)
      if (JOINT(k).axis_rows > 0u)
        change = max(change, JOINT(k).axis_rows == 1u ? drive_axis(k) : hold_ball(k));
    if (change <= joint_converged * fastest)
      break;
  }
  for (uint k = 0u; k < linkage.joints; ++k)
    if (JOINT(k).axis_rows == 1u)
      STATE(k).speed = x[JOINT(k).axis_row];
  for (uint i = linkage.equalities; i < linkage.rows; ++i)
    x[i] = impulses[i];
}

// Impulses along axes become all that acts there, with those of joint k's rotor and gear.
void add_to_axes(uint k) {
  uint axis = JOINT(k).axis_row;
  if (JOINT(k).armature > 0.0) {
    precise float sum = x[axis] + x[JOINT(k).first_row + link_equalities(JOINT(k).kind)];
    x[axis] = sum;
  }
  if (JOINT(k).leader != no_joint) {
    uint leader = JOINT(JOINT(k).leader).axis_row;
    float impulse = x[JOINT(k).gear_row];
    precise float sum = x[axis] + impulse, reaction = x[leader] - JOINT(k).multiplier * impulse;
    x[axis] = sum;
    x[leader] = reaction;
  }
}

LinkLoad load_of(uint k) {
  LinkLoad load = STATE(k).before;
  uint first = JOINT(k).first_row, end = first + link_equalities(JOINT(k).kind), axis = JOINT(k).axis_row, rows = JOINT(k).axis_rows;
  for (uint i = first; i < end; ++i) {
    precise vec3 impulse = load.impulse + x[i] * ROW(i).linear, moment = load.moment + x[i] * ROW(i).turn_child;
    load.impulse = impulse;
    if (ROW(i).linear == vec3(0.0))
      load.moment = moment;
  }
  if (rows == 1u)
    load.along += x[axis];
  else
    for (uint i = axis; i < axis + rows; ++i) {
      precise vec3 moment = load.moment + x[i] * ROW(i).turn_child;
      load.moment = moment;
    }
  return load;
}

void add_rows(uint local, uint k, uint first, uint end, inout vec3 velocity, inout vec3 spin) {
  for (uint i = first; i < end; ++i) {
    LinkRow row = ROW(i);
    if (JOINT(k).child == local) {
      precise vec3 v = velocity + row.ease.y * x[i] * row.linear, s = spin + x[i] * row.answer_child;
      velocity = v;
      spin = s;
    }
    if (JOINT(k).parent == local) {
      precise vec3 v = velocity - row.ease.x * x[i] * row.linear, s = spin - x[i] * row.answer_parent;
      velocity = v;
      spin = s;
    }
  }
}

void move_body(uint local) {
  uint b = body_in_world(local);
  vec3 velocity = velocity_at_center(b), spin = bodies[b].motion.spin;
  for (uint k = 0u; k < linkage.joints; ++k) {
    uint first = JOINT(k).first_row, axis = JOINT(k).axis_row;
    add_rows(local, k, first, first + link_equalities(JOINT(k).kind), velocity, spin);
    add_rows(local, k, axis, axis + JOINT(k).axis_rows, velocity, spin);
  }
  precise vec3 at_origin = velocity - cross(spin, bodies[b].pivot);
  bodies[b].motion.velocity = at_origin;
  bodies[b].motion.spin = spin;
}

void main() {
  if (!begin_linkage())
    return;
  uint lane = gl_LocalInvocationID.x, held = linkage.equalities;
  for (uint i = lane; i < linkage.rows; i += group_size) {
    precise float velocity = velocity_of(i), short_of = -velocity - ROW(i).bias;
    x[i] = i < held ? short_of : velocity;
  }
  barrier();
  for (uint j = 0u; j < held; ++j) {
    for (uint i = j + 1u + lane; i < linkage.rows; i += group_size)
      if (PLACE(i).first <= j) {
        precise float left = x[i] + (i < held ? -x[j] : x[j]) * AT(i, j);
        x[i] = left;
      }
    barrier();
  }
  if (lane == 0u)
    drive_axes();
  barrier();
  for (uint j = lane; j < held; j += group_size)
    x[j] /= AT(j, j);
  barrier();
  for (uint i = linkage.rows; i-- > 0u;) {
    for (uint j = PLACE(i).first + lane; j < min(i, held); j += group_size) {
      precise float left = x[j] - AT(i, j) * x[i];
      x[j] = left;
    }
    barrier();
  }
  for (uint i = lane; i < linkage.rows; i += group_size)
    ROW(i).impulse = x[i];
  for (uint k = lane; k < linkage.joints; k += group_size)
    STATE(k).load = load_of(k);
  barrier();
  if (lane == 0u)
    for (uint k = 0u; k < linkage.joints; ++k)
      add_to_axes(k);
  barrier();
  for (uint k = lane; k < linkage.joints; k += group_size) {
    if ((JOINT(k).moves & 1u) != 0u)
      move_body(JOINT(k).child);
    if ((JOINT(k).moves & 2u) != 0u)
      move_body(JOINT(k).parent);
  }
}
