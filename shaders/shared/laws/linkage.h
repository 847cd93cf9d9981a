// Dynamic bodies that joints hold together: rows of velocities that a joint does not allow, or that something acts on. Plain C++ and GLSL
// alone. Needs rotation.h.

// Where a joint is in the world, from the origins of its two bodies to its anchors, and how it is turned.
struct LinkPlace {
  vec3 parent_arm;  // m, from the parent's center of mass to the child's anchor
  vec3 child_arm;   // m, from the child's center of mass
  vec3 apart;       // m, from the parent's anchor to the child's
  vec3 axis;        // of the parent
  vec3 side;
  vec3 child_axis;
  vec3 child_side;
};

// between: m, from the parent's origin to the child's; pivots: of the centers of mass, from the origins.
LAW LinkPlace link_place(LinkJoint joint, vec4 parent_rotation, vec3 parent_pivot, vec4 child_rotation, vec3 child_pivot, vec3 between) {
  LinkPlace p;
  vec3 from_parent = rotated(parent_rotation, joint.parent_anchor), from_child = rotated(child_rotation, joint.child_anchor);
  p.apart = between + from_child - from_parent;
  p.parent_arm = from_parent + p.apart - parent_pivot;
  p.child_arm = from_child - child_pivot;
  p.axis = rotated(parent_rotation, joint.parent_axis);
  p.side = rotated(parent_rotation, joint.parent_side);
  p.child_axis = rotated(child_rotation, joint.child_axis);
  p.child_side = rotated(child_rotation, joint.child_side);
  return p;
}

// The value of a joint that turns, which turns less than a turn in a substep: from the value before.
LAW float link_value(uint kind, LinkPlace p, float value) {
  if (kind == joint_prismatic)
    return dot(p.axis, p.apart);
  if (kind != joint_revolute)
    return 0.0f;
  vec3 third = cross(p.axis, p.side);
  float c = dot(p.side, p.child_side), s = dot(third, p.child_side);
  for (int k = 0; k < 3; ++k)  // the error e becomes e - sin(e)
    value += s * cosine(value) - c * sine(value);
  return value;
}

LAW vec3 unit_vector(uint a) { return vec3(a == 0u ? 1.0f : 0.0f, a == 1u ? 1.0f : 0.0f, a == 2u ? 1.0f : 0.0f); }

// How many rows a joint needs for what it holds.
LAW uint link_equalities(uint kind) { return kind == joint_ball ? 3u : kind == joint_fixed ? 6u : 5u; }

// A row of velocities of the anchors along a direction, or of the spins about one. error: m or rad, which it takes back.
LAW LinkRow sliding_row(LinkPlace p, vec3 direction, float error, float h) {
  LinkRow row;
  row.linear = direction;
  row.turn_parent = cross(p.parent_arm, direction);
  row.turn_child = cross(p.child_arm, direction);
  row.bias = joint_return / h * error;
  return row;
}
LAW LinkRow turning_row(vec3 direction, float error, float h) {
  LinkRow row;
  row.linear = vec3(0.0f, 0.0f, 0.0f);
  row.turn_parent = row.turn_child = direction;
  row.bias = joint_return / h * error;
  return row;
}

// Row `part` of what a joint holds: first where it is, then how it is turned. A prismatic joint goes by its axis and across it.
LAW LinkRow held_row(uint kind, uint part, LinkPlace p, float h) {
  vec3 third = cross(p.axis, p.side);
  if (kind == joint_prismatic && part < 2u) {
    vec3 across = part == 0u ? p.side : third;
    return sliding_row(p, across, dot(across, p.apart), h);
  }
  if (kind != joint_prismatic && part < 3u) {
    vec3 direction = unit_vector(part);
    return sliding_row(p, direction, dot(direction, p.apart), h);
  }
  if (kind == joint_revolute) {
    vec3 across = part == 3u ? p.side : third;
    return turning_row(across, dot(across, cross(p.axis, p.child_axis)), h);
  }
  vec3 turned = 0.5f * (cross(p.axis, p.child_axis) + cross(p.side, p.child_side) + cross(third, cross(p.child_axis, p.child_side)));
  vec3 direction = unit_vector(kind == joint_prismatic ? part - 2u : part - 3u);
  return turning_row(direction, dot(direction, turned), h);
}

// Row `part` along the axis of a joint. Of a ball joint the first three are those of its friction; the last one turns the child away from
// the axis, and its bias is by how much it may do so.
LAW LinkRow axis_row(uint kind, uint part, LinkPlace p, JointAxis along, float h) {
  if (kind == joint_prismatic)
    return sliding_row(p, p.axis, 0.0f, h);
  if (kind == joint_revolute)
    return turning_row(p.axis, 0.0f, h);
  if (part < 3u)
    return turning_row(unit_vector(part), 0.0f, h);
  vec3 across = cross(p.axis, p.child_axis);
  float sine_of_lean = length(across);
  LinkRow row = turning_row(sine_of_lean > 0.0f ? across / sine_of_lean : vec3(0.0f, 0.0f, 0.0f), 0.0f, h);
  row.bias = sine_of_lean > 0.0f ? (dot(p.axis, p.child_axis) - along.low) / (h * sine_of_lean) : 0.0f;
  return row;
}

// What an impulse along row b does to the velocity of row a, by the bodies that both have. Bodies that nothing moves have an ease of 0.
LAW float link_coupling(LinkRow a, uint a_parent, uint a_child, LinkRow b, uint b_parent, uint b_child) {
  PRECISE float along = dot(a.linear, b.linear);
  PRECISE float sum = 0.0f;
  if (a_child == b_child)
    sum += along * a.ease.y + dot(a.turn_child, b.answer_child);
  if (a_child == b_parent)
    sum -= along * a.ease.y + dot(a.turn_child, b.answer_parent);
  if (a_parent == b_child)
    sum -= along * a.ease.x + dot(a.turn_parent, b.answer_child);
  if (a_parent == b_parent && a_parent != no_body)
    sum += along * a.ease.x + dot(a.turn_parent, b.answer_parent);
  return sum;
}

// The velocity of a row. Velocities are those of the centers of mass.
LAW float link_velocity(LinkRow row, vec3 parent_velocity, vec3 parent_spin, vec3 child_velocity, vec3 child_spin) {
  return dot(row.linear, child_velocity - parent_velocity) + dot(row.turn_child, child_spin) - dot(row.turn_parent, parent_spin);
}
