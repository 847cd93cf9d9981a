// The motion of a dynamic body: what its joint makes of it, and how it turns. Needs rotation.h.

// A speed [rad/s or m/s] that a motor drives towards `target` and friction towards 0, each by `strength` and `friction` [of speed] at
// most: where the two are in balance with what moves the joint otherwise. What they take from a speed grows with it in two steps, at 0 and
// at the target.
LAW float driven(float speed, float target, float strength, float friction) {
  float first = target > 0.0f ? friction : strength, second = target > 0.0f ? strength : friction;  // at the lower and the upper speed
  float low = min(target, 0.0f), high = max(target, 0.0f);
  float above = speed - first - second;
  if (above > high)
    return above;
  float between_both = speed - first + second;
  if (between_both > low)
    return min(between_both, high);
  return min(speed + first + second, low);
}

// A joint changes a body's motion in a substep: the velocity of its pivot and its spin. value: rad or m, of the joint.
LAW void joint_motion(Rigid rigid, RigidCommand command, float value, vec4 rotation, mat3 inverse_mass, mat3 inverse_inertia, float h,
                      INOUT(vec3, velocity), INOUT(vec3, spin)) {
  vec3 axis = rigid.axis;
  float friction = h * rigid.friction;
  if (rigid.joint == joint_revolute || rigid.joint == joint_prismatic) {
    bool turns = rigid.joint == joint_revolute;
    vec3 motion = turns ? spin : velocity, answer = turns ? inverse_inertia * axis : inverse_mass * axis;
    float w = dot(axis, answer);
    float speed = driven(dot(axis, motion), command.motor_speed, h * w * command.motor_strength, w * friction);
    speed = clamp(speed, (rigid.low - value) / h, (rigid.high - value) / h);
    if (turns)
      spin = speed * axis;
    else
      velocity = speed * axis;
  } else if (rigid.joint == joint_ball) {
    mat3 turn = matrix_of(rotation);
    float momentum = length(rigid.inertia * (transpose(turn) * spin));
    spin *= momentum > friction ? 1.0f - friction / momentum : 0.0f;
    // It leans no further than it may.
    vec3 leaning = turn * rigid.lean, across = cross(axis, leaning);
    float sine = length(across);
    if (sine > 0.0f) {
      vec3 about = across / sine, answer = inverse_inertia * about;
      float excess = dot(spin, about) - (dot(axis, leaning) - rigid.low) / (h * sine);
      if (excess > 0.0f)
        spin -= excess / dot(about, answer) * answer;
    }
  }
}

LAW vec3 spin_by_momentum(Rigid rigid, vec4 rotation, vec3 momentum) {
  mat3 turn = matrix_of(rotation);
  return turn * (rigid.inverse_inertia * (transpose(turn) * momentum));
}
LAW vec3 momentum_by_spin(Rigid rigid, vec4 rotation, vec3 spin) {
  mat3 turn = matrix_of(rotation);
  return turn * (rigid.inertia * (transpose(turn) * spin));
}

// By what a principal axis adds to the energy.
LAW vec4 turned_about_own(vec4 rotation, vec4 own, vec3 momentum, float time) {
  vec3 axis = matrix_of(rotation) * vec3(own);
  return then_turned(rotation, turn_by(time * own.w * dot(momentum, axis) * axis));
}

// Turned for a time without a torque: the angular momentum L stays, and the spin follows the turning inertia. By parts of the energy
// L.L / 2 I_2 + sum over k = 1, 3 of (1/I_k - 1/I_2) (L.e_k)^2 / 2, e_k being the principal axes: each turns the body exactly, about L or
// about its own axis. Symplectic, and exact where two moments are equal, at any spin: only the product of the two differences makes an
// error (McLachlan 1993, Dullweber, Leimkuhler and McLachlan 1997).
LAW void turn_freely(Rigid rigid, float h, INOUT(vec4, rotation), INOUT(vec3, spin)) {
  vec3 momentum = momentum_by_spin(rigid, rotation, spin);
  rotation = turned_about_own(rotation, rigid.turning_least, momentum, 0.5f * h);
  rotation = turned_about_own(rotation, rigid.turning_greatest, momentum, h);
  rotation = turned_about_own(rotation, rigid.turning_least, momentum, 0.5f * h);
  rotation = then_turned(rotation, turn_by(h * rigid.turning_middle * momentum));
  spin = spin_by_momentum(rigid, rotation, momentum);
  // What rounding leaves of the inverse would add up over the substeps.
  spin += spin_by_momentum(rigid, rotation, momentum - momentum_by_spin(rigid, rotation, spin));
}
